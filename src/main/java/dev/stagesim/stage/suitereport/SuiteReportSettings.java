package dev.stagesim.stage.suitereport;

import dev.stagesim.model.Key;
import java.nio.file.Path;
import java.util.List;

/** Configuration of the stage {@code suite_report}. */
public record SuiteReportSettings(@Key(doc = "What is reported.") Report report) {
    /** The section {@code report}. */
    public record Report(
            @Key(doc = "Finished runs of real_bench with bench=tf, one for each workload.", def = "[]") List<Path> runs,
            @Key(
                            doc = "Least measured time of a layer that counts when predictions are judged.",
                            unit = "ns",
                            def = "20000",
                            min = "0")
                    long leastNs) {}
}
