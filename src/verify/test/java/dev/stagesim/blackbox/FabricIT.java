package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Capacity planning from the command line. */
@Tag("acceptance")
class FabricIT {
    private static final String[] SMALL = {
        "search.tensor_parallel_sizes=[1]", "search.batch_sizes=[64]", "search.chunk_sizes=[512]", "search.requests=50"
    };

    @TempDir
    Path scratch;

    private StageProcess.Result run(String... arguments) {
        return new StageProcess(scratch).run(arguments);
    }

    @Test
    void runsTheWinnerFromItsStoredConfiguration() throws Exception {
        StageProcess.Result search =
                run("fabric", "--optimize", "slo.p99_ttft_ms=500", SMALL[0], SMALL[1], SMALL[2], SMALL[3]);
        assertThat(search.exit()).as(search.err()).isZero();
        assertThat(search.err()).contains("candidates", "winner_usd_per_mtok");
        Path dir = scratch.resolve(search.line());
        assertThat(dir.resolve("report.html")).exists();
        StageProcess.Result again = run("fabric", "--config-snapshot", search.line() + "/winner");
        assertThat(again.exit()).as(again.err()).isZero();
        String cost = search.err()
                .lines()
                .filter(line -> line.contains("winner_usd_per_mtok"))
                .findFirst()
                .orElseThrow();
        assertThat(again.err())
                .contains(cost.strip().replaceFirst("\\S+\\s+", "").strip());
        assertThat(Files.readString(scratch.resolve(again.line()).resolve("summary.md")))
                .contains("It meets all limits.");
    }

    /** Kills a search with SIGKILL during its simulations and compares the result with an uninterrupted search. */
    @Test
    void resumesAKilledSearchWithTheSameResult() throws Exception {
        String[] words = {
            "fabric",
            "--optimize",
            "slo.p99_ttft_ms=500",
            "search.tensor_parallel_sizes=[1,2]",
            "search.batch_sizes=[64]",
            "search.chunk_sizes=[512,1024]"
        };
        Path cut = Files.createDirectories(scratch.resolve("cut"));
        Path whole = Files.createDirectories(scratch.resolve("whole"));
        Path output = scratch.resolve("output");
        StageProcess killed = new StageProcess(cut).with("STAGE_JAVA_OPTS", "-Dstagesim.terminal=true");
        Process process = killed.builder(words)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        while ((kept(cut) < 5 || !Files.readString(output).contains("candidates")) && process.isAlive()) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        process.destroyForcibly().waitFor();
        long before = kept(cut);
        assertThat(before).as(Files.readString(output)).isGreaterThanOrEqualTo(5);
        assertThat(Files.readString(output)).as("progress").contains("candidates");
        StageProcess.Result again = new StageProcess(cut).run(words);
        StageProcess.Result once = new StageProcess(whole).run(words);
        assertThat(again.exit()).as(again.err()).isZero();
        assertThat(again.err()).contains("simulations were reused from an earlier search");
        assertThat(kept(cut)).isEqualTo(kept(whole)).isGreaterThan(before);
        assertThat(again.line()).isEqualTo(once.line());
        assertThat(contents(cut.resolve(again.line()))).isEqualTo(contents(whole.resolve(once.line())));
    }

    /** Returns the number of simulations that a search has cached in a directory. */
    private static long kept(Path directory) throws IOException {
        Path cache = directory.resolve("tmp/.cache/fabric");
        if (!Files.isDirectory(cache)) {
            return 0;
        }
        try (Stream<Path> files = Files.walk(cache)) {
            return files.filter(file -> file.toString().endsWith(".json")).count();
        } catch (UncheckedIOException vanished) {
            return 0; // A partial file was renamed during the walk.
        }
    }

    /** Returns all artifacts except the ones that record the invocation. */
    private static Map<String, String> contents(Path run) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(run)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = run.relativize(file).toString();
                if (!name.equals("run_meta.json") && !name.endsWith("invocation.json")) {
                    contents.put(name, Files.readString(file));
                }
            }
        }
        return contents;
    }

    @Test
    void simulatesTrainingStepsAndTheStepOfTheWinner() throws Exception {
        StageProcess.Result search = run(
                "fabric",
                "workload=pretrain_8b",
                "workload.parallelism.dp=4",
                "target.num_nodes=7",
                "--optimize",
                "search.training_nodes=[1]",
                "search.tensor_parallel_sizes=[2]",
                "search.microbatches=[1,2]");
        assertThat(search.exit()).as(search.err()).isZero();
        assertThat(search.err()).contains("astra_sim", "step_ms", "winner_usd_per_mtok");
        Path dir = scratch.resolve(search.line());
        List<String> steps = Files.readAllLines(dir.resolve("targets.csv")).stream()
                .filter(line -> line.contains(",step_ms,"))
                .toList();
        // The requested target and h100_8x differ only in values that a step does not depend on.
        assertThat(steps.get(0)).startsWith("target,").contains("/astra_sim/");
        assertThat(steps.get(1)).startsWith("h100_8x,").contains("evaluations/");
        assertThat(steps.get(1).split(",", 0)[2]).isEqualTo(steps.get(0).split(",", 0)[2]);
        StageProcess.Result again = run("fabric", "--config-snapshot", search.line() + "/winner");
        assertThat(again.exit()).as(again.err()).isZero();
        String cost = search.err()
                .lines()
                .filter(line -> line.contains("winner_usd_per_mtok"))
                .findFirst()
                .orElseThrow();
        assertThat(again.err())
                .contains(cost.strip().replaceFirst("\\S+\\s+", "").strip());
    }

    @Test
    void reproducesRecordedRuns() {
        String corpus =
                new StageProcess(scratch).home().resolve("tests-data/fabric").toString();
        StageProcess.Result run = run("verify", "suite=fabric", "corpus=" + corpus, "--json");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.line()).contains("\"cases\":6").contains("\"failed\":[]");
    }
}
