package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.pipeline.store.RunStore;
import dev.stagesim.sweep.SweepResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills processes that run stages, and lets processes race for one run. */
@Tag("acceptance")
final class CrashSafetyTest {
    private static final int ROWS = 12;

    @TempDir
    private Path dir;

    @Test
    void leavesAFinishedRunOrNoneWhenKilled() throws Exception {
        killLoop(4, new SplittableRandom(11));
    }

    @Test
    @Tag("long")
    void leavesAFinishedRunOrNoneWhenKilledManyTimes() throws Exception {
        killLoop(100, new SplittableRandom(12));
    }

    private void killLoop(int kills, SplittableRandom random) throws Exception {
        for (int i = 0; i < kills; i++) {
            // Other tests use the stage's rejection of 13.
            String[] question = {"numbers.count=" + ROWS, "numbers.step=" + (i + 100), "numbers.pause=1"};
            // The last lines are printed just before the run is moved into place.
            int line = random.nextInt(3) == 0 ? ROWS + 1 : 1 + random.nextInt(ROWS + 1);
            killAfter(line, random.nextInt(12), ForkedRun.start(dir, question));
            Path folder = dir.resolve("tmp/numbers");
            for (String runId : new RunStore(dir.resolve("tmp")).runIds("numbers")) {
                assertThat(new RunReader()
                                .readVerified(folder.resolve(runId), runId)
                                .runId())
                        .isEqualTo(runId);
            }
            RunRef next = open().run(
                            new TestStages.NumbersStage(),
                            TestStages.request(new TestStages.NumbersStage(), question),
                            RunOptions.DEFAULT);
            assertThat(next.meta().outputs().get(0).rows()).hasValue((long) ROWS);
            try (Stream<Path> left = Files.list(folder)) {
                assertThat(left.filter(path -> path.getFileName().toString().startsWith(".")))
                        .isEmpty();
            }
        }
    }

    private Pipeline open() {
        return new Pipeline(
                new StageRegistry(List.of(new TestStages.NumbersStage())),
                dir,
                dir,
                PipelineListener.NONE,
                Clock.systemUTC());
    }

    private static void killAfter(int lines, int millis, Process process) throws IOException, InterruptedException {
        try (BufferedReader out = reader(process)) {
            for (int i = 0; i < lines && out.readLine() != null; i++) {
                // Wait until the process has printed the line.
            }
            process.waitFor(millis, TimeUnit.MILLISECONDS);
            process.destroyForcibly();
            process.waitFor();
        }
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    @Test
    void returnsOneRunToRacingProcesses() throws Exception {
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            processes.add(ForkedRun.start(dir, "numbers.count=30", "numbers.pause=10"));
        }
        List<String> started = new ArrayList<>();
        List<String> done = new ArrayList<>();
        for (Process process : processes) {
            try (BufferedReader out = reader(process)) {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    if (line.startsWith("started ")) {
                        started.add(line);
                    } else if (line.startsWith("done ")) {
                        done.add(line);
                    }
                }
            }
            assertThat(process.waitFor()).isZero();
        }
        assertThat(done).hasSize(4);
        assertThat(done.stream().distinct()).hasSize(1);
        assertThat(started).hasSize(1);
        try (Stream<Path> files = Files.list(dir.resolve("tmp/numbers"))) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void keepsTheOldRunWhenKilledDuringReplacement() throws Exception {
        TestStages.NumbersStage numbers = new TestStages.NumbersStage();
        RunRequest question = TestStages.request(numbers, "numbers.count=3");
        RunRef old = open().run(numbers, question, RunOptions.DEFAULT);
        dieReplacing(old);
        assertThat(open().run(numbers, question, RunOptions.DEFAULT).reused()).isTrue();
        assertThat(numbers.runs).hasValue(1);
        assertThat(siblings(old)).containsExactly(old.dir());

        dieReplacing(old);
        assertThat(open().run(numbers, question, new RunOptions(true, Optional.empty()))
                        .reused())
                .isFalse();
        assertThat(numbers.runs).hasValue(2);
        assertThat(siblings(old)).containsExactly(old.dir());
    }

    @Test
    void acceptsARunThatWasSetAsideAsInput() throws Exception {
        TestStages.NumbersStage numbers = new TestStages.NumbersStage();
        TestStages.SumStage sum = new TestStages.SumStage();
        RunRef old = open().run(numbers, TestStages.request(numbers, "numbers.count=4"), RunOptions.DEFAULT);
        dieReplacing(old);
        Pipeline pipeline = new Pipeline(
                new StageRegistry(List.of(numbers, sum)), dir, dir, PipelineListener.NONE, Clock.systemUTC());
        RunRef total = pipeline.run(sum, TestStages.request(sum, "numbers.dir=" + old.dir()), RunOptions.DEFAULT);
        assertThat(total.meta().headlines()).containsEntry("total", 6.0);
    }

    private void dieReplacing(RunRef run) throws Exception {
        assertThat(ForkedRun.start(dir, "replace", run.runId()).waitFor()).isEqualTo(9);
        assertThat(run.dir()).doesNotExist();
    }

    @Test
    void keepsFinishedJobsAndTheTableWhenTerminated() throws Exception {
        List<String> jobs = List.of("numbers.step=1", "numbers.step=2", "numbers.step=3");
        List<String> arguments = new ArrayList<>(List.of("sweep"));
        arguments.addAll(jobs);
        Process process = ForkedRun.start(dir, arguments.toArray(String[]::new));
        try (BufferedReader out = reader(process)) {
            for (String line = out.readLine(); line != null && !line.equals("ended 0"); line = out.readLine()) {
                // Wait for the first job.
            }
            process.destroy();
            process.waitFor();
        }
        Path sweeps = dir.resolve("tmp/sweeps");
        Path sweep;
        try (Stream<Path> found = Files.list(sweeps)) {
            sweep = found.findFirst().orElseThrow();
        }
        assertThat(Files.readAllLines(sweep.resolve("jobs.csv")))
                .hasSize(4)
                .satisfies(lines -> assertThat(lines.get(1)).startsWith("0,done,"))
                .satisfies(lines -> assertThat(lines.get(3)).startsWith("2,pending,"));
        SweepResult again = ForkedRun.sweep(open(), new TestStages.NumbersStage(), jobs);
        assertThat(again.dir()).isEqualTo(sweep);
        assertThat(again.complete()).isTrue();
        assertThat(again.jobs().get(0).run().orElseThrow().reused()).isTrue();
    }

    private static List<Path> siblings(RunRef run) throws IOException {
        try (Stream<Path> all = Files.list(run.dir().getParent())) {
            return all.toList();
        }
    }
}
