package dev.stagesim.feature.spark;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PortableRun;
import dev.stagesim.pipeline.RunRef;
import dev.stagesim.settings.LauncherSettings;
import dev.stagesim.sweep.Failure;
import dev.stagesim.sweep.Launch;
import dev.stagesim.sweep.Launcher;
import dev.stagesim.sweep.PlannedJob;
import dev.stagesim.sweep.SearchOracle;
import dev.stagesim.sweep.TokenCounts;
import dev.stagesim.sweep.TokenPart;
import dev.stagesim.sweep.TokenWork;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Apache Spark: a process of its own hands the jobs to Spark's workers, and this one takes over the runs they make. */
final class SparkLauncher implements Launcher {
    private static final long PATIENCE_MS = 100;

    /** Less than this is counted by this process when Spark has nothing else to do. */
    private static final long WORTH_STARTING = 1L << 30;

    private final LauncherSettings.Spark settings;
    private final Opening talks;

    /** Opens a conversation for a launch. */
    interface Opening {
        Talk open(Launch launch) throws IOException;
    }

    SparkLauncher(LauncherSettings.Spark settings) {
        this.settings = settings;
        this.talks = launch -> talk(launch.pipeline());
        for (String word : settings.conf()) {
            if (word.indexOf('=') < 1) {
                throw StageException.input(Problem.of("launcher error", "launcher.conf", "'" + word + "' sets nothing")
                        .note("expected", "NAME=VALUE, for example spark.executor.memory=2g"));
            }
        }
    }

    /** A launcher that talks to somebody else. */
    SparkLauncher(LauncherSettings.Spark settings, Opening talks) {
        this.settings = settings;
        this.talks = talks;
    }

    @Override
    public void launch(Launch launch) throws IOException, InterruptedException {
        List<PlannedJob> left = new ArrayList<>();
        for (PlannedJob job : launch.jobs()) {
            Optional<RunRef> known = launch.known(job);
            if (known.isEmpty()) {
                left.add(job);
            } else if (launch.begin(job)) {
                launch.done(job, known.get());
            }
        }
        if (left.isEmpty()) {
            countWithoutJobs(launch);
            return;
        }
        try (Talk talk = talks.open(launch)) {
            new Conversation(launch, talk).run(left);
            new Counting(launch, talk).run(launch.tokens());
            talk.end();
        }
    }

    private void countWithoutJobs(Launch launch) throws IOException, InterruptedException {
        List<TokenPart> parts = launch.tokens();
        if (parts.stream().mapToLong(TokenPart::bytes).sum() < WORTH_STARTING) {
            int threads = Runtime.getRuntime().availableProcessors();
            TokenWork.count(store(launch), parts, threads, launch::stopped, launch::counted);
            return;
        }
        try (Talk talk = talks.open(launch)) {
            new Counting(launch, talk).run(parts);
            talk.end();
        }
    }

    @Override
    public SearchOracle oracle(Pipeline pipeline) throws IOException {
        return new SparkAnswers(talk(pipeline));
    }

    /** Its workers work; who asks them only waits. */
    @Override
    public int maxConcurrentQueries() {
        return settings.window();
    }

    /** Starts Spark for a working directory. */
    private Talk talk(Pipeline pipeline) throws IOException {
        settings.master().ifPresent(SparkMaster::reach);
        SparkDriver driver = SparkDriver.of(settings, pipeline);
        driver.announce(pipeline.listener());
        return new SparkTalk(driver, words -> pipeline.listener().notice("spark", words));
    }

    private static Path store(Launch launch) {
        return Pipeline.runsRoot(launch.pipeline().workDir());
    }

    /** Jobs go out as answers come in. */
    private final class Conversation {
        private final Launch launch;
        private final Talk talk;
        private final Map<String, Placement.Task> away = new LinkedHashMap<>();

        Conversation(Launch launch, Talk talk) {
            this.launch = launch;
            this.talk = talk;
        }

        void run(List<PlannedJob> jobs) throws IOException, InterruptedException {
            Placement placement = new Placement(jobs);
            while (true) {
                while (away.size() < settings.window() && !launch.stopped()) {
                    Optional<Placement.Task> next = placement.next();
                    if (next.isEmpty() || !send(next.get())) {
                        break;
                    }
                }
                if (away.isEmpty()) {
                    return;
                }
                Talk.Answer answer = talk.poll(PATIENCE_MS);
                Placement.Task task = answer == null ? null : away.remove(answer.name());
                if (answer != null && task != null) {
                    placement.ended(task, answer.place());
                    if (!task.prepares()) {
                        take(task.job(), answer);
                    }
                }
            }
        }

        private boolean send(Placement.Task task) throws IOException, InterruptedException {
            PlannedJob job = task.job();
            if (!task.prepares() && !launch.begin(job)) {
                return false;
            }
            PortableRun run = new PortableRun(
                    launch.stage().spec().name(), job.run().get().request(), job.options());
            String name = (task.prepares() ? Talk.PREPARE : Talk.RUN) + job.num();
            away.put(name, task);
            talk.send(name, task.prepares() ? Talk.PREPARE : Talk.RUN, task.places(), run.text());
            return true;
        }

        private void take(PlannedJob job, Talk.Answer answer) throws IOException {
            if (answer.how().equals(RemoteJob.FAILED)) {
                launch.failed(job, new Failure(answer.words().get(1)));
                return;
            }
            try {
                RunRef run = launch.pipeline()
                        .sweeps()
                        .adopt(SparkDriver.run(launch.pipeline(), answer.words().get(1)));
                boolean isReused = answer.how().equals(RemoteJob.REUSED);
                launch.done(job, new RunRef(run.dir(), run.meta(), run.sha256(), isReused));
            } catch (StageException e) {
                launch.failed(job, e);
            }
        }
    }

    /** Token tables are counted where Spark's workers are; what the workers cannot see is counted here. */
    private static final class Counting {
        private final Launch launch;
        private final Talk talk;
        private final Map<String, List<TokenPart>> away = new LinkedHashMap<>();

        Counting(Launch launch, Talk talk) {
            this.launch = launch;
            this.talk = talk;
        }

        void run(List<TokenPart> parts) throws IOException, InterruptedException {
            for (List<TokenPart> together : bundles(parts)) {
                String name = Talk.COUNT + away.size();
                away.put(name, together);
                String what = String.join(
                        RemoteJob.BETWEEN,
                        together.stream().map(TokenPart::text).toList());
                talk.send(name, Talk.COUNT, List.of(), what);
            }
            while (!away.isEmpty() && !launch.stopped()) {
                Talk.Answer answer = talk.poll(PATIENCE_MS);
                List<TokenPart> counted = answer == null ? null : away.remove(answer.name());
                if (answer != null && counted != null) {
                    take(counted, answer);
                }
            }
        }

        /** Parts that one task counts: as many as make up one of full size. */
        private static List<List<TokenPart>> bundles(List<TokenPart> parts) {
            List<List<TokenPart>> bundles = new ArrayList<>();
            long room = 0;
            for (TokenPart part : parts) {
                if (room < part.bytes()) {
                    bundles.add(new ArrayList<>());
                    room = TokenWork.PART_BYTES;
                }
                bundles.get(bundles.size() - 1).add(part);
                room -= part.bytes();
            }
            return bundles;
        }

        private void take(List<TokenPart> parts, Talk.Answer answer) throws IOException {
            boolean isCounted = answer.words().size() == parts.size() + 1;
            for (int i = 0; i < parts.size(); i++) {
                String words = isCounted ? answer.words().get(i + 1) : RemoteJob.ABSENT;
                TokenPart part = parts.get(i);
                launch.counted(
                        part, words.equals(RemoteJob.ABSENT) ? part.count(store(launch)) : TokenCounts.parse(words));
            }
        }
    }

    /** Directory of a run that was made elsewhere. */
    static Path staging(Pipeline pipeline) {
        return pipeline.cache().resolve("spark");
    }
}
