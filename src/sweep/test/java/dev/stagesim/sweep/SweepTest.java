package dev.stagesim.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.ForkedRun;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.PlannedRun;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.SweepRuns;
import dev.stagesim.pipeline.TestStages;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.stage.Effort;
import dev.stagesim.sweep.launch.LaunchOptions;
import dev.stagesim.sweep.launch.Launcher;
import dev.stagesim.sweep.launch.LauncherSettings;
import dev.stagesim.sweep.launch.Launchers;
import dev.stagesim.sweep.launch.PlannedJob;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class SweepTest {
    private final TestStages.NumbersStage numbers = new TestStages.NumbersStage();
    private final TestStages.SumStage sum = new TestStages.SumStage();

    private SweepResult sweep(Path dir, int threads, List<List<String>> jobs) {
        return sweep(dir, threads, LaunchOptions.DEFAULT, jobs, jobs);
    }

    private SweepResult sweep(
            Path dir, int threads, LaunchOptions options, List<List<String>> jobs, List<List<String>> known) {
        Pipeline pipeline = new Pipeline(
                new StageRegistry(List.of(numbers, sum)), dir, dir, PipelineListener.NONE, Clock.systemUTC());
        List<PlannedJob> planned = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            String[] words = known.get(i).toArray(String[]::new);
            planned.add(new PlannedJob(
                    i,
                    jobs.get(i),
                    new SweepRuns.PlannedCost("", Effort.UNKNOWN, List.of()),
                    RunOptions.DEFAULT,
                    () -> pipeline.plan(sum, TestStages.request(sum, words), RunOptions.DEFAULT)));
        }
        return Sweep.run(pipeline, Manifest.of(sum, planned), local(threads), options, (job, progress) -> {});
    }

    private static Launcher local(int threads) {
        return Launchers.of(new LauncherSettings.Local(Optional.of(threads), Optional.empty()));
    }

    private static Path newDir() {
        return Jimfs.newFileSystem(Configuration.unix()).getPath("/work");
    }

    private static final List<List<String>> JOBS = List.of(
            List.of("sum.factor=1", "numbers.count=3", "sum.mode=run"),
            List.of("sum.factor=2", "numbers.count=3", "sum.mode=run"),
            List.of("sum.factor=3", "numbers.count=3", "sum.mode=throw"),
            List.of("sum.factor=4", "numbers.count=3", "sum.mode=check"));

    @Test
    void collectsMetricsWithAnyNumberOfThreads() throws IOException {
        List<String> tables = new ArrayList<>();
        for (int threads = 1; threads <= 4; threads += 3) {
            SweepResult result = sweep(newDir(), threads, JOBS);
            assertThat(result.complete()).isFalse();
            assertThat(result.jobs())
                    .extracting(JobOutcome::status)
                    .containsExactly(JobStatus.DONE, JobStatus.DONE, JobStatus.FAILED, JobStatus.CHECK_FAILED);
            assertThat(result.dir().toString()).isEqualTo("/work/tmp/sweeps/" + result.sweepId());
            assertThat(Files.readString(result.dir().resolve("failed.txt")))
                    .isEqualTo("sum.factor=3 numbers.count=3 sum.mode=throw\n");
            tables.add(Files.readString(result.dir().resolve("results.csv"))
                    + Files.readString(result.dir().resolve("jobs.csv"))
                    + Files.readString(result.dir().resolve("sweep.json")));
            try (Stream<Path> files = Files.list(result.dir())) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .containsExactlyInAnyOrder(
                                "failed.txt",
                                "jobs.csv",
                                "report.html",
                                "results.csv",
                                "sweep.json",
                                "token_percentiles.csv");
            }
        }
        assertThat(tables.get(0)).isEqualTo(tables.get(1));
        assertThat(tables.get(0))
                .matches(Pattern.compile(
                        """
                        job,sum.factor,sum.mode,status,run_id,total
                        0,1,run,done,sum-[0-9a-f]{10},3.0
                        1,2,run,done,sum-[0-9a-f]{10},6.0
                        2,3,throw,failed,,
                        3,4,check,check_failed,sum-[0-9a-f]{10},12.0
                        .*""",
                        Pattern.DOTALL));
    }

    @Test
    void satisfiesTheContractOfTheJobTable() throws IOException {
        SweepResult result = sweep(newDir(), 2, JOBS);
        try (TableReader in = TableReader.open(result.dir().resolve("jobs.csv"), SweepSchemas.JOBS)) {
            int rows = 0;
            while (in.next()) {
                rows++;
                boolean failed = in.stringAt(in.column("status")).equals("failed");
                assertThat(in.isEmpty(in.column("error"))).isEqualTo(!failed);
                assertThat(in.isEmpty(in.column("run_id"))).isEqualTo(failed);
            }
            assertThat(rows).isEqualTo(4);
        }
    }

    @Test
    void startsAnotherSweepWhenTheConfigurationDiffers() {
        Path dir = newDir();
        Pipeline pipeline = new Pipeline(
                new StageRegistry(List.of(numbers, sum)), dir, dir, PipelineListener.NONE, Clock.systemUTC());
        List<String> ids = new ArrayList<>();
        // The count is a setting of the upstream stage, the factor of the stage itself.
        for (String config : List.of("numbers.count=3", "numbers.count=4", "sum.factor=2", "numbers.count=3")) {
            RunRequest request = TestStages.request(sum, config);
            PlannedRun<?> run = pipeline.plan(sum, request, RunOptions.DEFAULT);
            SweepRuns.PlannedCost question = pipeline.sweeps().cost(run);
            PlannedJob job = new PlannedJob(0, List.of("sum.mode=run"), question, RunOptions.DEFAULT, () -> run);
            ids.add(Manifest.of(sum, List.of(job)).id());
        }
        assertThat(ids.subList(0, 3)).doesNotHaveDuplicates();
        assertThat(ids.get(3)).isEqualTo(ids.get(0));
    }

    @Test
    void skipsFinishedJobsWhenRestarted() {
        Path dir = newDir();
        SweepResult first = sweep(dir, 2, JOBS);
        int runs = sum.runs.get();
        SweepResult second = sweep(dir, 2, JOBS);
        assertThat(second.sweepId()).isEqualTo(first.sweepId());
        assertThat(sum.runs.get() - runs).as("only the failed job").isEqualTo(1);
        assertThat(second.jobs().get(0).run().orElseThrow().reused()).isTrue();
        assertThat(numbers.runs).hasValue(1);
    }

    @Test
    void startsNoFurtherJobWithFailFast() {
        List<List<String>> jobs = List.of(
                List.of("sum.mode=run", "sum.factor=1"),
                List.of("sum.mode=throw", "sum.factor=2"),
                List.of("sum.mode=run", "sum.factor=3"));
        SweepResult result = sweep(newDir(), 1, new LaunchOptions(true, Optional.empty()), jobs, jobs);
        assertThat(result.jobs())
                .extracting(JobOutcome::status)
                .containsExactly(JobStatus.DONE, JobStatus.FAILED, JobStatus.PENDING);
    }

    @Test
    void failsInvalidJobsIndividuallyAndNamesBugs() {
        SweepResult result =
                sweep(newDir(), 1, List.of(List.of("sum.factor=x"), List.of("sum.mode=bug"), List.of("sum.factor=5")));
        assertThat(result.jobs())
                .extracting(JobOutcome::status)
                .containsExactly(JobStatus.FAILED, JobStatus.FAILED, JobStatus.DONE);
        assertThat(result.jobs().get(0).error()).contains("sum.factor").doesNotContain("\n");
        assertThat(result.jobs().get(1).error()).contains("internal error").contains("a bug");
        assertThat(result.with(JobStatus.FAILED)).hasSize(2);
    }

    @Test
    void failsWithAMessageWhenATableCannotBeWritten() {
        Path dir = newDir();
        PipelineListener deleting = new PipelineListener() {
            @Override
            public void started(String stage, String runId) {
                try {
                    deleteBelow(dir.resolve("tmp/sweeps"));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        Pipeline pipeline = new Pipeline(new StageRegistry(List.of(numbers)), dir, dir, deleting, Clock.systemUTC());
        // The job is slow, so the table is written when it ends.
        assertThatThrownBy(() -> ForkedRun.sweep(pipeline, numbers, List.of("numbers.step=1", "numbers.step=2")))
                .isInstanceOfSatisfying(StageException.class, error -> {
                    assertThat(error.kind()).isEqualTo(StageException.Kind.FAILED);
                    assertThat(error.problems().get(0).render())
                            .contains("sweep failed")
                            .contains("jobs.csv");
                    assertThat(error.getStackTrace()).isNotEmpty();
                    assertThat(error.getCause().getStackTrace())
                            .as("found on the job's thread")
                            .extracting(StackTraceElement::getMethodName)
                            .contains("end");
                });
    }

    @Test
    void distinguishesKeysNamedLikeColumns() throws IOException {
        List<List<String>> jobs =
                List.of(List.of("sum.factor=1", "+status=a"), List.of("sum.factor=2", "+status=b", "~gone"));
        SweepResult result = sweep(
                newDir(),
                1,
                LaunchOptions.DEFAULT,
                jobs,
                jobs.stream().map(job -> job.subList(0, 1)).toList());
        assertThat(Files.readString(result.dir().resolve("results.csv")))
                .startsWith("job,sum.factor,status_,gone,status,run_id,total\n0,1,a,,done,");
    }

    private static void deleteBelow(Path dir) throws IOException {
        try (Stream<Path> all = Files.walk(dir)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
