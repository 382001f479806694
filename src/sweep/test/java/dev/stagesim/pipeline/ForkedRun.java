package dev.stagesim.pipeline;

import dev.stagesim.ChildJava;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.store.RunLock;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.pipeline.store.RunStore;
import dev.stagesim.sweep.Manifest;
import dev.stagesim.sweep.Sweep;
import dev.stagesim.sweep.SweepListener;
import dev.stagesim.sweep.SweepResult;
import dev.stagesim.sweep.launch.LaunchOptions;
import dev.stagesim.sweep.launch.LauncherSettings;
import dev.stagesim.sweep.launch.Launchers;
import dev.stagesim.sweep.launch.PlannedJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs the numbers stage once and reports its progress on stdout. */
public final class ForkedRun {
    private ForkedRun() {}

    /**
     * Runs {@code numbers} in a working directory.
     *
     * @param args the directory, then overrides; after the word {@code sweep}, one override per job; after the
     *     word {@code replace}, the id of a run to replace: the process dies before the new run is in place
     */
    public static void main(String[] args) throws IOException {
        Path dir = Path.of(args[0]);
        if (args[1].equals("replace")) {
            dieReplacing(new RunStore(dir.resolve("tmp")), args[2]);
        }
        PipelineListener listener = new PipelineListener() {
            @Override
            public void started(String stage, String runId) {
                System.out.println("started " + runId);
            }

            @Override
            public void progress(String stage, String what, long done, long total) {
                System.out.println(what + " " + done);
            }
        };
        TestStages.NumbersStage numbers = new TestStages.NumbersStage();
        Pipeline pipeline = new Pipeline(new StageRegistry(List.of(numbers)), dir, dir, listener, Clock.systemUTC());
        if (args[1].equals("sweep")) {
            sweep(pipeline, numbers, List.of(args).subList(2, args.length));
            return;
        }
        String[] overrides = List.of(args).subList(1, args.length).toArray(String[]::new);
        RunRef run = pipeline.run(numbers, TestStages.request(numbers, overrides), RunOptions.DEFAULT);
        System.out.println("done " + run.runId());
    }

    @SuppressWarnings("try") // The lock variable is not used.
    private static void dieReplacing(RunStore store, String runId) throws IOException {
        try (RunLock lock = store.lock("numbers", runId, () -> {})) {
            Path partial = store.newPartial("numbers", runId);
            Files.writeString(partial.resolve("numbers.csv"), "n\n7\n");
            store.setAside("numbers", runId);
            Runtime.getRuntime().halt(9);
        }
    }

    /** Sweeps with one thread. Each job takes some time. */
    public static SweepResult sweep(Pipeline pipeline, TestStages.NumbersStage numbers, List<String> jobs) {
        List<PlannedJob> planned = new ArrayList<>();
        for (String job : jobs) {
            RunRequest request = TestStages.request(numbers, job, "numbers.count=20", "numbers.pause=30");
            PlannedRun<?> run = pipeline.plan(numbers, request, RunOptions.DEFAULT);
            planned.add(new PlannedJob(
                    planned.size(), List.of(job), pipeline.sweeps().cost(run), RunOptions.DEFAULT, () -> run));
        }
        SweepListener listener = (job, progress) -> System.out.println("ended " + job.num());
        return Sweep.run(
                pipeline,
                Manifest.of(numbers, planned),
                Launchers.of(new LauncherSettings.Local(Optional.of(1), Optional.empty())),
                LaunchOptions.DEFAULT,
                listener);
    }

    /** Starts the program in a separate process with the Java and the classes of this one. */
    static Process start(Path dir, String... overrides) throws IOException {
        List<String> command = ChildJava.command(ForkedRun.class, "-Xmx128m", "-XX:TieredStopAtLevel=1");
        command.add(dir.toString());
        command.addAll(List.of(overrides));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
