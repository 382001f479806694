package dev.stagesim.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunRef;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class SweepReportTest {
    private static final List<List<String>> JOBS = List.of(
            List.of("sum.factor=1", "numbers.count=3"),
            List.of("sum.factor=2", "numbers.count=3"),
            List.of("sum.factor=3", "sum.mode=throw"));

    @Test
    void containsItsDataAndLoadsNoOtherFile() throws Exception {
        SweepWorld world = SweepWorld.empty();
        SweepResult result = world.sweep(SweepBytesTest.local(2), JOBS);
        String html = Files.readString(result.dir().resolve("report.html"));
        assertThat(html)
                .contains(
                        "total is 3.0000 to 6.0000, lowest in #0 (sum.factor=1 ", ". 2 of 3 jobs have a run; 1 failed.")
                .contains("{\"kind\":\"key\",\"name\":\"sum.factor\"}")
                .contains("{\"kind\":\"figure\",\"least\":true,\"name\":\"total\"}")
                .contains("script-src 'sha256-".replace("'", "&#39;"))
                .doesNotContain("http://www.example")
                .doesNotContain("src=\"");
        assertThat(html.split("<script").length - 1).isEqualTo(2);
    }

    @Test
    void computesRegretAgainstTheMeasuredBest() throws Exception {
        SweepWorld world = SweepWorld.empty();
        List<JobOutcome> simulated =
                world.sweep(SweepBytesTest.local(1), JOBS.subList(0, 2)).jobs();
        // In the measurement, the second factor is better.
        List<JobOutcome> measured = List.of(with(simulated.get(0), 10), with(simulated.get(1), 8));
        assertThat(SweepRegret.of(simulated, measured)).singleElement().satisfies(one -> {
            assertThat(one.figure()).isEqualTo("total");
            assertThat(one.chosen()).isEqualTo("sum.factor=1");
            assertThat(one.best()).isEqualTo("sum.factor=2");
            assertThat(one.share()).isEqualTo(0.25);
        });
        assertThat(SweepRegret.of(simulated, List.of())).isEmpty();
        assertThat(SweepRegret.of(simulated, simulated)).allMatch(one -> one.share() == 0);
    }

    private static JobOutcome with(JobOutcome job, double total) {
        RunRef run = job.run().orElseThrow();
        RunMeta meta =
                KeyRecord.with(RunMeta.class, run.meta(), Map.of("headlines", new TreeMap<>(Map.of("total", total))));
        return new JobOutcome(
                job.num(),
                job.overrides(),
                job.status(),
                Optional.of(new RunRef(run.dir(), meta, run.sha256(), true)),
                "");
    }
}
