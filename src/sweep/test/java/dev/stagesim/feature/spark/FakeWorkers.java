package dev.stagesim.feature.spark;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.SweepWorld;
import dev.stagesim.sweep.launch.Launcher;
import dev.stagesim.sweep.launch.LauncherSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Workers like Spark's in this process. They take jobs in any order, use the working directory or a store of runs, and
 * can be lost with their results.
 */
public final class FakeWorkers implements WorkerChannel {
    private final SweepWorld here;
    private final Random random;
    private final boolean shared;
    private final boolean unlucky;
    private final SweepWorld passed = SweepWorld.empty();
    private final SweepWorld[] workers;
    private final List<List<String>> waiting = new ArrayList<>();
    private int left;

    /**
     * Creates workers.
     *
     * @param left number of results after which all workers are lost
     * @param unlucky true for workers that sometimes fail a job
     */
    private FakeWorkers(SweepWorld here, Random random, int left, boolean unlucky) {
        this.here = here;
        this.random = random;
        this.shared = random.nextBoolean();
        this.unlucky = unlucky;
        this.left = left;
        this.workers = new SweepWorld[1 + random.nextInt(3)];
        Arrays.setAll(workers, i -> shared ? here : SweepWorld.empty());
    }

    /** Returns a launcher that sends jobs to the workers. */
    public static Launcher launcher(SweepWorld here, Random random, int left, boolean unlucky) {
        LauncherSettings.Spark settings = new LauncherSettings.Spark(
                Optional.empty(), Optional.empty(), Optional.empty(), List.of(), 1 + random.nextInt(9));
        return new SparkLauncher(settings, launch -> new FakeWorkers(here, random, left, unlucky));
    }

    @Override
    public void send(String name, String verb, List<String> places, String what) {
        waiting.add(List.of(name, verb, what));
    }

    @Override
    public @Nullable TaskResult poll(long ms) throws IOException {
        if (left-- <= 0) {
            throw StageException.failed(Problem.of("launcher error", "spark", "its driver ended"));
        }
        if (waiting.isEmpty() || random.nextInt(5) == 0) {
            return null;
        }
        List<String> work = waiting.remove(random.nextInt(waiting.size()));
        int number = random.nextInt(workers.length);
        if (!shared && random.nextInt(10) == 0) {
            workers[number] = SweepWorld.empty();
        }
        if (unlucky && random.nextInt(6) == 0) {
            return new TaskResult(work.get(0), "", List.of(RemoteJob.FAILED, "Spark gave the job up"));
        }
        String answer = answer(workers[number], work.get(1), work.get(2));
        return new TaskResult(work.get(0), "executor_host_" + number, List.of(answer.split(RemoteJob.SEPARATOR, -1)));
    }

    private String answer(SweepWorld worker, String verb, String what) throws IOException {
        Pipeline pipeline = worker.pipeline(PipelineListener.NONE);
        List<Stage<?>> stages = List.of(worker.numbers, worker.sum);
        StageRegistry registry = new StageRegistry(stages);
        if (verb.equals(PREPARE)) {
            return RemoteJob.prepare(pipeline, registry, what);
        }
        if (verb.equals(COUNT)) {
            return count(what);
        }
        String answer = RemoteJob.run(pipeline, registry, what);
        String[] words = answer.split(RemoteJob.SEPARATOR, -1);
        if (!shared && !words[0].equals(RemoteJob.FAILED)) {
            for (String run : List.of(words).subList(1, words.length)) {
                copy(worker.dir.resolve("tmp"), passed.dir.resolve("tmp"), run);
                copy(passed.dir.resolve("tmp"), here.dir.resolve("tmp/.cache/spark/tmp"), run);
            }
        }
        return answer;
    }

    private String count(String parts) throws IOException {
        StringBuilder answer = new StringBuilder("counted");
        for (String part : parts.split(RemoteJob.SEPARATOR, -1)) {
            String[] words = part.split(" ", -1);
            Path file = (shared ? here : passed).dir.resolve("tmp").resolve(words[1]);
            String counts = RemoteJob.ABSENT;
            if (Files.exists(file)) {
                try (InputStream in = Files.newInputStream(file)) {
                    in.skipNBytes(Math.max(0, Long.parseLong(words[2]) - 1));
                    counts = RemoteJob.count(in, part);
                }
            }
            answer.append(RemoteJob.SEPARATOR).append(counts);
        }
        return answer.toString();
    }

    private static void copy(Path from, Path to, String run) throws IOException {
        if (Files.exists(to.resolve(run))) {
            return;
        }
        try (Stream<Path> all = Files.walk(from.resolve(run))) {
            for (Path path : all.sorted().toList()) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(path, target);
                }
            }
        }
    }

    @Override
    public void end() {
        if (!waiting.isEmpty()) {
            throw new IllegalStateException("work is left");
        }
    }

    @Override
    public void close() {}
}
