package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Multirun as a user meets it. */
class SweepIT {
    private static final String[] SWEEP = {
        "vidur_sim", "-m", "scheduler=vllm,sarathi", "arrival.qps=range(1,4)", "workload.num_requests=30"
    };

    @TempDir
    Path scratch;

    @Test
    void everyJobHasItsRunAndTheTablesDoNotDependOnThreads() throws Exception {
        StageProcess stage = new StageProcess(scratch);
        StageProcess.Result run = stage.run(SWEEP);
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out().lines()).hasSize(6).doesNotHaveDuplicates();
        Path results = results(scratch);
        List<String> lines = Files.readAllLines(results);
        assertThat(lines).hasSize(7);
        assertThat(lines.get(0)).contains("scheduler").contains("arrival.qps").contains("ttft_p50_ms");

        Path alone = Files.createDirectories(scratch.resolve("alone"));
        String[] oneThread = new String[SWEEP.length + 1];
        System.arraycopy(SWEEP, 0, oneThread, 0, SWEEP.length);
        oneThread[SWEEP.length] = "-j1";
        assertThat(new StageProcess(alone).run(oneThread).exit()).isZero();
        assertThat(results(alone)).hasSameBinaryContentAs(results);
    }

    @Test
    void aFailedJobIsNamedAndTheOthersGoOn() {
        StageProcess.Result run = new StageProcess(scratch)
                .run(
                        "vidur_sim",
                        "-m",
                        "workload.lengths.prefill_tokens=[8],[900000]",
                        "workload=spaced_chat",
                        "workload.num_requests=1");
        assertThat(run.exit()).as(run.err()).isEqualTo(1);
        assertThat(run.out().lines()).hasSize(1);
        assertThat(run.err()).contains("failed").contains("#1");
    }

    @Test
    void anInterruptedSweepIsResumed() throws Exception {
        String[] many = {"vidur_sim", "-m", "workload.seed=range(0,60)", "workload.num_requests=400", "-j1"};
        StageProcess stage = new StageProcess(scratch);
        Path words = scratch.resolve("interrupted.txt");
        Process process = stage.builder(many)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(words.toFile())
                .start();
        awaitFinishedRuns(process, 3);
        // not SIGINT: shells start background jobs, such as a CI's, with that one ignored
        new ProcessBuilder("kill", "-TERM", Long.toString(process.pid()))
                .start()
                .waitFor();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isEqualTo(128 + 15);
        assertThat(words)
                .content()
                .contains("interrupted: finished runs are kept")
                .doesNotContain("error");
        try (Stream<Path> left = Files.list(scratch.resolve("tmp/vidur_sim"))) {
            assertThat(left).noneMatch(run -> run.getFileName().toString().startsWith("."));
        }
        Map<String, FileTime> before = finished(scratch);
        assertThat(before.size()).isBetween(3, 59);

        StageProcess.Result resumed = stage.run(many);
        assertThat(resumed.exit()).as(resumed.err()).isZero();
        assertThat(resumed.out().lines()).hasSize(60).doesNotHaveDuplicates();
        assertThat(finished(scratch)).hasSize(60).as("finished jobs are reused").containsAllEntriesOf(before);

        Path alone = Files.createDirectories(scratch.resolve("alone"));
        StageProcess.Result whole = new StageProcess(alone)
                .run("vidur_sim", "-m", "workload.seed=range(0,60)", "workload.num_requests=400");
        assertThat(whole.exit()).as(whole.err()).isZero();
        assertThat(whole.out()).isEqualTo(resumed.out());
        assertThat(results(scratch)).hasSameBinaryContentAs(results(alone));
    }

    @Test
    void repetitionsOfAMeasurementAreRunsOfTheirOwn() {
        StageProcess stage = new StageProcess(scratch);
        StageProcess.Result sweep = stage.run("real_bench", "-m", "workload=spaced_chat", "repeat=range(0,3)");
        assertThat(sweep.exit()).as(sweep.err()).isZero();
        assertThat(sweep.out().lines()).hasSize(3).doesNotHaveDuplicates();
        StageProcess.Result second = stage.run("real_bench", "workload=spaced_chat", "repeat=2");
        assertThat(second.line()).isEqualTo(sweep.out().lines().toList().get(2));
        assertThat(second.err()).contains("reused");
        StageProcess.Result first = stage.run("real_bench", "workload=spaced_chat");
        assertThat(first.line()).isEqualTo(sweep.out().lines().toList().get(0));
    }

    private void awaitFinishedRuns(Process process, int runs) throws Exception {
        while (process.isAlive() && finished(scratch).size() < runs) {
            Thread.sleep(20);
        }
        assertThat(process.isAlive())
                .as("the sweep ended before it could be interrupted")
                .isTrue();
    }

    /** Finished runs and when each was written. */
    private static Map<String, FileTime> finished(Path work) throws Exception {
        Map<String, FileTime> runs = new TreeMap<>();
        Path folder = work.resolve("tmp/vidur_sim");
        if (!Files.isDirectory(folder)) {
            return runs;
        }
        try (var all = Files.list(folder)) {
            for (Path dir : all.toList()) {
                Path meta = dir.resolve("run_meta.json");
                String name = dir.getFileName().toString();
                if (!name.startsWith(".") && Files.exists(meta)) {
                    runs.put(name, Files.getLastModifiedTime(meta));
                }
            }
        }
        return runs;
    }

    private static Path results(Path work) throws Exception {
        try (var sweeps = Files.list(work.resolve("tmp/sweeps"))) {
            return sweeps.findFirst().orElseThrow().resolve("results.csv");
        }
    }
}
