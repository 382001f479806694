package dev.stagesim.feature.suite.report;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import java.nio.file.Path;
import java.util.List;

/** Configuration of the stage {@code suite_report}. */
record SuiteReportSettings(@Key("Runs to report.") Report report) {
    /** Section {@code report}. */
    @FormerKeys("least_ns=min_layer_ns")
    record Report(
            @Key("Finished runs of real_bench with bench=tf, one for each workload. | []") List<Path> runs,
            @Key(
                            "Minimum measured time of the layers with which predictions are assessed. | 20000 | ns | 0..1000000000000000000")
                    long minLayerNs) {}
}
