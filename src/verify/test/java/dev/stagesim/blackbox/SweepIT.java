package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sweeps from the command line. */
@Tag("acceptance")
class SweepIT {
    private static final String[] SWEEP = {
        "vidur_sim", "-m", "scheduler=vllm,sarathi", "arrival.qps=range(1,4)", "workload.num_requests=30"
    };

    @TempDir
    Path scratch;

    @Test
    void writesARunPerJobAndTheSameTablesWithAnyThreads() throws Exception {
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
    void namesAFailedJobAndContinues() {
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
    void resumesAnInterruptedSweep() throws Exception {
        String[] many = {"vidur_sim", "-m", "workload.seed=range(0,60)", "workload.num_requests=400", "-j1"};
        StageProcess stage = new StageProcess(scratch);
        Path words = scratch.resolve("interrupted.txt");
        Process process = stage.builder(many)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(words.toFile())
                .start();
        awaitFinishedRuns(process, 3);
        // SIGINT would not work, because shells start background jobs with SIGINT ignored.
        new ProcessBuilder("kill", "-TERM", Long.toString(process.pid()))
                .start()
                .waitFor();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isEqualTo(128 + 15);
        assertThat(words)
                .content()
                .contains("interrupted: finished runs are kept")
                .doesNotContainPattern("(?m)^\\w+ error");
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
    void matchesOneLaunchWithPartsOfAClusterJob() throws Exception {
        StageProcess stage = new StageProcess(scratch);
        String[] words = {"vidur_sim", "scheduler=vllm,sarathi", "arrival.qps=2,3", "workload.num_requests=30"};
        StageProcess.Result emitted = stage.run(with(words, "sweep", "emit", "slurm", "--shards", "3", "-o", "job.sh"));
        assertThat(emitted.exit()).as(emitted.err()).isZero();
        assertThat(emitted.err()).contains("4 jobs in 3 parts").contains("sweep merge");
        for (int part = 2; part >= 0; part--) {
            ProcessBuilder task = new ProcessBuilder("bash", "job.sh").directory(scratch.toFile());
            task.environment().put("SLURM_ARRAY_TASK_ID", Integer.toString(part));
            Process process = task.redirectErrorStream(true)
                    .redirectOutput(scratch.resolve("task.txt").toFile())
                    .start();
            assertThat(process.waitFor())
                    .as(Files.readString(scratch.resolve("task.txt")))
                    .isZero();
        }
        StageProcess.Result merged = stage.run("sweep", "merge", ".");
        assertThat(merged.exit()).as(merged.err()).isZero();

        Path alone = Files.createDirectories(scratch.resolve("alone"));
        StageProcess.Result whole = new StageProcess(alone).run(with(words, "vidur_sim", "-m"));
        assertThat(whole.exit()).as(whole.err()).isZero();
        assertThat(merged.out()).isEqualTo(whole.out());
        for (String table : List.of("jobs.csv", "results.csv", "report.html")) {
            assertThat(results(scratch).resolveSibling(table))
                    .hasSameBinaryContentAs(results(alone).resolveSibling(table));
        }
    }

    /** Appends arguments to a command. A command that names a stage replaces the first argument. */
    private static String[] with(String[] words, String... command) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of(words).subList(command[0].equals(words[0]) ? 1 : 0, words.length));
        return all.toArray(String[]::new);
    }

    @Test
    void returnsAConfigurationThatCanBeRun() {
        StageProcess stage = new StageProcess(scratch);
        StageProcess.Result search = stage.run(
                "vidur_sim",
                "-m",
                "sweeper=capacity",
                "sweeper.slo=[\"ttft_p99_ms<=300\"]",
                "sweeper.tolerance=0.2",
                "scheduler=vllm,sarathi",
                "model=llama3_8b",
                "workload.num_requests=600");
        assertThat(search.exit()).as(search.err()).isZero();
        assertThat(search.err()).contains("won").contains("lost").contains("ttft_p99_ms is");
        StageProcess.Result run = stage.run("vidur_sim", "--config-snapshot", search.line());
        assertThat(run.exit()).as(run.err()).isZero();
        StageProcess.Result idle = stage.run(
                "vidur_sim", "-m", "sweeper=capacity", "sweeper.slo=[\"ttft_p99<=100\"]", "workload.num_requests=60");
        assertThat(idle.exit()).isEqualTo(2);
        assertThat(idle.err()).contains("ttft_p99_ms");
    }

    @Test
    void writesARunPerRepetition() {
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

    /** Returns finished runs with their modification times. */
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
