package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Simulates all workloads of the profiling suite without the framework. */
@Tag("acceptance")
class SuiteWithoutFrameworkIT {
    private static final int ALL = 35;

    @TempDir
    private Path scratch;

    private List<Path> all(String... arguments) {
        StageProcess stage = new StageProcess(scratch);
        StageProcess.Result result = stage.run(arguments);
        assertThat(result.exit()).as(result.err()).isZero();
        return result.out().lines().map(scratch::resolve).toList();
    }

    @Test
    void computesOperatorsRooflinesAndTracesOfAllWorkloads() throws IOException {
        List<Path> runs = all(
                "workload",
                "--multirun",
                "workload=glob(tf/*)",
                "suite.values=program",
                "hardware@workload.hardware=h100",
                "workload.npus=2");
        assertThat(runs).hasSize(ALL);
        StringBuilder tables = new StringBuilder();
        for (Path run : runs) {
            assertThat(Files.readString(run.resolve("run_meta.json"))).contains("roofline_step_ns");
            assertThat(run.resolve("tf.1.et")).isNotEmptyFile();
            tables.append(tables.isEmpty() ? "" : ",").append(run.resolve("mnk.csv"));
        }
        List<Path> texts = all(
                "workload",
                "--multirun",
                "workload=mnk_example",
                "workload.num_npus=1",
                "workload.num_packages=1",
                "workload.mnk=" + tables);
        assertThat(texts).hasSize(ALL).allSatisfy(run -> assertThat(Files.readAllLines(run.resolve("workload.txt")))
                .hasSizeGreaterThan(3));
    }

    @Test
    void computesCyclesOfAllWorkloads() throws IOException {
        List<Path> runs = all("scale_sim", "--multirun", "workload=glob(tf/*)", "suite.values=program");
        assertThat(runs).hasSize(ALL).allSatisfy(run -> assertThat(Files.readAllLines(run.resolve("layers.csv")))
                .hasSizeGreaterThan(3));
    }

    @Test
    void simulatesStepsOfAllWorkloadsOnANetwork() {
        assertThat(all("astra_sim", "--multirun", "workload=glob(tf/*)", "workload.npus=8"))
                .hasSize(ALL);
        assertThat(all("astra_sim", "--multirun", "workload=glob(tf/mlp_*)", "workload.npus=8"))
                .hasSize(6);
    }

    @Test
    void suggestsSimilarNames() {
        StageProcess.Result wrong = new StageProcess(scratch).run("workload", "workload=tf/MLP-A");
        assertThat(wrong.exit()).isEqualTo(2);
        assertThat(wrong.err()).contains("did you mean  tf/mlp_a").contains("tf/autoencoder_a");
        assertThat(new StageProcess(scratch).run("workload", "workload=mlp_a").err())
                .contains("did you mean  tf/mlp_a");
    }
}
