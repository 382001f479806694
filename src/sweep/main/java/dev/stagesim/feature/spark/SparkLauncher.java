package dev.stagesim.feature.spark;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.request.PortableRun;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.sweep.launch.Failure;
import dev.stagesim.sweep.launch.Launch;
import dev.stagesim.sweep.launch.Launcher;
import dev.stagesim.sweep.launch.LauncherSettings;
import dev.stagesim.sweep.launch.PlannedJob;
import dev.stagesim.sweep.launch.SearchOracle;
import dev.stagesim.sweep.tokens.TokenCounts;
import dev.stagesim.sweep.tokens.TokenPart;
import dev.stagesim.sweep.tokens.TokenWork;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Launches jobs on Apache Spark. A separate driver process sends the jobs to Spark's workers; this process imports the
 * finished runs.
 */
final class SparkLauncher implements Launcher {
    private static final long POLL_MS = 100;

    /** Size below which this process counts token times itself if Spark has no other work, in bytes. */
    private static final long MIN_REMOTE_BYTES = 1L << 30;

    private final LauncherSettings.Spark settings;
    private final ChannelFactory channels;

    /** Opens a channel for a launch. */
    interface ChannelFactory {
        WorkerChannel open(Launch launch) throws IOException;
    }

    SparkLauncher(LauncherSettings.Spark settings) {
        this.settings = settings;
        this.channels = launch -> channel(launch.pipeline());
        for (String word : settings.conf()) {
            if (word.indexOf('=') < 1) {
                throw StageException.input(
                        Problem.of("launcher error", "launcher.conf", "'" + word + "' is not a setting")
                                .note("expected", "NAME=VALUE, for example spark.executor.memory=2g"));
            }
        }
    }

    /** Creates a launcher with another kind of channel. */
    SparkLauncher(LauncherSettings.Spark settings, ChannelFactory channels) {
        this.settings = settings;
        this.channels = channels;
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
        try (WorkerChannel channel = channels.open(launch)) {
            new JobDispatch(launch, channel).run(left);
            new Counting(launch, channel).run(launch.tokens());
            channel.end();
        }
    }

    private void countWithoutJobs(Launch launch) throws IOException, InterruptedException {
        List<TokenPart> parts = launch.tokens();
        if (parts.stream().mapToLong(TokenPart::bytes).sum() < MIN_REMOTE_BYTES) {
            int threads = Runtime.getRuntime().availableProcessors();
            TokenWork.count(store(launch), parts, threads, launch::stopped, launch::counted);
            return;
        }
        try (WorkerChannel channel = channels.open(launch)) {
            new Counting(launch, channel).run(parts);
            channel.end();
        }
    }

    @Override
    public SearchOracle oracle(Pipeline pipeline) throws IOException {
        return new SparkOracle(channel(pipeline));
    }

    /** Queries run on Spark's workers; the calling threads only wait. */
    @Override
    public int maxConcurrentQueries() {
        return settings.window();
    }

    /** Starts Spark for a working directory. */
    private WorkerChannel channel(Pipeline pipeline) throws IOException {
        settings.master().ifPresent(SparkMaster::reach);
        SparkDriver driver = SparkDriver.of(settings, pipeline);
        driver.announce(pipeline.listener());
        return new SparkWorkerChannel(driver, words -> pipeline.listener().notice("spark", words));
    }

    private static Path store(Launch launch) {
        return Pipeline.runsRoot(launch.pipeline().workDir());
    }

    /** Sends jobs and receives their results. */
    private final class JobDispatch {
        private final Launch launch;
        private final WorkerChannel channel;
        private final Map<String, Placement.Task> away = new LinkedHashMap<>();

        JobDispatch(Launch launch, WorkerChannel channel) {
            this.launch = launch;
            this.channel = channel;
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
                WorkerChannel.TaskResult answer = channel.poll(POLL_MS);
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
            String name = (task.prepares() ? WorkerChannel.PREPARE : WorkerChannel.RUN) + job.num();
            away.put(name, task);
            channel.send(name, task.prepares() ? WorkerChannel.PREPARE : WorkerChannel.RUN, task.places(), run.text());
            return true;
        }

        private void take(PlannedJob job, WorkerChannel.TaskResult answer) throws IOException {
            if (answer.outcome().equals(RemoteJob.FAILED)) {
                launch.failed(job, new Failure(answer.words().get(1)));
                return;
            }
            try {
                RunRef run = launch.pipeline()
                        .sweeps()
                        .adopt(SparkDriver.run(launch.pipeline(), answer.words().get(1)));
                boolean isReused = answer.outcome().equals(RemoteJob.REUSED);
                launch.done(job, new RunRef(run.dir(), run.meta(), run.sha256(), isReused));
            } catch (StageException e) {
                launch.failed(job, e);
            }
        }
    }

    /** Counts token tables on Spark's workers; tables that the workers cannot read are counted here. */
    private static final class Counting {
        private final Launch launch;
        private final WorkerChannel channel;
        private final Map<String, List<TokenPart>> away = new LinkedHashMap<>();

        Counting(Launch launch, WorkerChannel channel) {
            this.launch = launch;
            this.channel = channel;
        }

        void run(List<TokenPart> parts) throws IOException, InterruptedException {
            for (List<TokenPart> together : bundles(parts)) {
                String name = WorkerChannel.COUNT + away.size();
                away.put(name, together);
                String what = String.join(
                        RemoteJob.SEPARATOR,
                        together.stream().map(TokenPart::text).toList());
                channel.send(name, WorkerChannel.COUNT, List.of(), what);
            }
            while (!away.isEmpty() && !launch.stopped()) {
                WorkerChannel.TaskResult answer = channel.poll(POLL_MS);
                List<TokenPart> counted = answer == null ? null : away.remove(answer.name());
                if (answer != null && counted != null) {
                    take(counted, answer);
                }
            }
        }

        /** Groups small parts into bundles of about one full-size part each. */
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

        private void take(List<TokenPart> parts, WorkerChannel.TaskResult answer) throws IOException {
            boolean isCounted = answer.words().size() == parts.size() + 1;
            for (int i = 0; i < parts.size(); i++) {
                String words = isCounted ? answer.words().get(i + 1) : RemoteJob.ABSENT;
                TokenPart part = parts.get(i);
                launch.counted(
                        part, words.equals(RemoteJob.ABSENT) ? part.count(store(launch)) : TokenCounts.parse(words));
            }
        }
    }

    /** Staging directory for runs from other machines. */
    static Path staging(Pipeline pipeline) {
        return pipeline.cache().resolve("spark");
    }
}
