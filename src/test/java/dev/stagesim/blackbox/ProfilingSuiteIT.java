package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every workload of the profiling suite on TensorFlow, where the engine is installed: {@code stage engines install tf}. */
@Tag("long")
class ProfilingSuiteIT {
    static List<String> entries() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("configs/workload/tf"))) {
            return files.map(file -> file.getFileName().toString().replace(".conf", ""))
                    .sorted()
                    .toList();
        }
    }

    /** Two processes have the same losses, all values are finite, and parameters are those of the operators: else 3. */
    @ParameterizedTest
    @MethodSource("entries")
    void runsTwiceWithTheSameLosses(String entry, @TempDir Path scratch) throws IOException {
        StageProcess stage = new StageProcess(scratch);
        assumeTrue(
                stage.run("engines", "list").out().lines().anyMatch(line -> line.matches("tf +.*installed in .*")),
                "engine tf is not installed");
        StageProcess.Result result = stage.run(
                "real_bench",
                "bench=tf",
                "workload=tf/" + entry,
                "suite.values=program",
                "bench.on_missing_device=cpu",
                "bench.threads=cap",
                "bench.warmup=1",
                "bench.steps=2",
                "bench.trace_steps=2",
                "bench.infer_steps=1");
        assertThat(result.exit()).as(result.err()).isZero();
        assertThat(Files.readString(stage.dir(result).resolve("summary.md")))
                .contains("All 2 processes had the same losses.");
        assertThat(Files.readAllLines(stage.dir(result).resolve("op_metrics.csv")))
                .hasSizeGreaterThan(10);
    }
}
