package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
        String[] many = {"vidur_sim", "-m", "workload.seed=range(0,400)", "workload.num_requests=400", "-j1"};
        StageProcess stage = new StageProcess(scratch);
        Process process = stage.builder(many)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        awaitFinishedRuns(process, 3);
        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isEqualTo(130);
        long before = finished();
        assertThat(before).isBetween(3L, 399L);
        StageProcess.Result resumed =
                stage.run("vidur_sim", "-m", "workload.seed=range(0,5)", "workload.num_requests=400");
        assertThat(resumed.exit()).as(resumed.err()).isZero();
        assertThat(resumed.out().lines()).hasSize(5);
    }

    private void awaitFinishedRuns(Process process, int runs) throws Exception {
        while (process.isAlive() && finished() < runs) {
            Thread.sleep(20);
        }
        assertThat(process.isAlive())
                .as("the sweep ended before it could be interrupted")
                .isTrue();
    }

    private long finished() throws Exception {
        Path runs = scratch.resolve("tmp/vidur_sim");
        if (!Files.isDirectory(runs)) {
            return 0;
        }
        try (var all = Files.list(runs)) {
            return all.filter(dir -> Files.exists(dir.resolve("run_meta.json"))
                            && !dir.getFileName().toString().startsWith("."))
                    .count();
        }
    }

    private static Path results(Path work) throws Exception {
        try (var sweeps = Files.list(work.resolve("tmp/sweeps"))) {
            return sweeps.findFirst().orElseThrow().resolve("results.csv");
        }
    }
}
