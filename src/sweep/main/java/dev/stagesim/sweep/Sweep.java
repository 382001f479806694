package dev.stagesim.sweep;

import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.store.IoErrors;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.launch.Failure;
import dev.stagesim.sweep.launch.Launch;
import dev.stagesim.sweep.launch.LaunchOptions;
import dev.stagesim.sweep.launch.Launcher;
import dev.stagesim.sweep.launch.PlannedJob;
import dev.stagesim.sweep.tokens.TokenCounts;
import dev.stagesim.sweep.tokens.TokenPart;
import dev.stagesim.sweep.tokens.TokenWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Launches the jobs of a manifest, each with its own run directory, and collects their metrics.
 *
 * <p>The sweep's directory {@code tmp/sweeps/<id>/} contains the manifest, the current job table, and {@code
 * results.csv}. A part of a sweep has its job table in {@code shards/<i>-of-<n>/}. All files depend only on the jobs,
 * not on launcher or order. A sweep that is started again reuses its finished jobs. Its id depends on the settings of
 * the jobs, so the same overrides of another configuration form another sweep.
 */
public final class Sweep implements Launch {
    static final String SHARDS = "shards";
    private static final long MIN_TABLE_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Reciprocal of the maximum share of time for writing tables while jobs run. */
    private static final int TABLE_SHARE = 20;

    private final Pipeline pipeline;
    private final Manifest manifest;
    private final Launcher launcher;
    private final LaunchOptions options;
    private final SweepListener listener;
    private final Path dir;
    private final Path tables;
    private final DurationEstimator estimates;
    private final List<PlannedJob> jobs;
    private final Map<Integer, JobOutcome> outcomes = new TreeMap<>();
    private final Map<Integer, Long> running = new TreeMap<>();
    private final Map<Integer, SweepRecords.Row> before = new TreeMap<>();
    private Optional<TokenPercentiles> tokens = Optional.empty();
    private int tokensLeft;
    private final long startNs = System.nanoTime();
    private double workDone;
    private double workLeft;
    private int ended;
    private int failed;
    private volatile boolean stopped;
    private boolean interrupted;
    private long tableWritten;
    private long tableWriteNs;

    private Sweep(
            Pipeline pipeline, Manifest manifest, Launcher launcher, LaunchOptions options, SweepListener listener) {
        this.pipeline = pipeline;
        this.manifest = manifest;
        this.launcher = launcher;
        this.options = options;
        this.listener = listener;
        this.dir = pipeline.sweeps().dir().resolve(manifest.id());
        this.tables = launcher.part().partial()
                ? dir.resolve(SHARDS).resolve(launcher.part().folder())
                : dir;
        this.estimates = DurationEstimator.read(pipeline.cache(), manifest.stageName());
        this.jobs = manifest.jobs().stream()
                .filter(job -> launcher.part().has(job) && options.selects(job))
                .sorted(Comparator.comparingDouble(estimates::seconds)
                        .reversed()
                        .thenComparing(PlannedJob::num))
                .toList();
        this.workLeft = jobs.stream().mapToDouble(estimates::seconds).sum();
    }

    /**
     * Runs the jobs of the launcher's part.
     *
     * @return the outcome of each job; failures of single jobs do not throw
     */
    public static SweepResult run(
            Pipeline pipeline, Manifest manifest, Launcher launcher, LaunchOptions options, SweepListener listener) {
        try {
            return new Sweep(pipeline, manifest, launcher, options, listener).run();
        } catch (IOException e) {
            throw StageException.failed(IoErrors.problem("sweep failed", manifest.stageName(), e), e);
        }
    }

    private SweepResult run() throws IOException {
        Files.createDirectories(tables);
        pipeline.sweeps().tidy(manifest.stageName());
        manifest.write(dir);
        for (PlannedJob job : manifest.jobs()) {
            if (launcher.part().has(job)) {
                outcomes.put(job.num(), JobOutcome.pending(job));
            }
        }
        SweepRecords.rows(tables).forEach(row -> before.put(row.num(), row));
        if (options.only().isPresent()) {
            SweepRecords.read(tables, manifest, pipeline).forEach((num, outcome) -> {
                if (!options.selects(manifest.jobs().get(num))) {
                    outcomes.replace(num, outcome);
                }
            });
        }
        writeTables();
        // an interrupted process keeps the finished runs and a job table with its progress
        Thread hook = new Thread(this::stop, "sweep-stop");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            launcher.launch(this);
        } catch (InterruptedException e) {
            stopped = true;
            Thread.currentThread().interrupt();
        } finally {
            stopped = true;
            removeHook(hook);
        }
        writeTables();
        SweepTables.writeFailed(tables, snapshot());
        if (!launcher.part().partial()) {
            Optional<TokenPercentiles> counted = tokensLeft == 0 ? tokens : Optional.empty();
            if (counted.isPresent()) {
                counted.get().write(dir);
            }
            SweepReport.write(dir, manifest.stageName(), snapshot(), counted);
        }
        estimates.save();
        return new SweepResult(dir, tables, manifest.id(), snapshot());
    }

    @Override
    public Pipeline pipeline() {
        return pipeline;
    }

    @Override
    public Stage<?> stage() {
        return manifest.stage();
    }

    @Override
    public List<PlannedJob> jobs() {
        return jobs;
    }

    @Override
    public boolean stopped() {
        return stopped;
    }

    @Override
    public synchronized boolean begin(PlannedJob job) {
        if (stopped) {
            return false;
        }
        running.put(job.num(), System.nanoTime());
        return true;
    }

    @Override
    public synchronized void done(PlannedJob job, RunRef run) throws IOException {
        Long since = running.get(job.num());
        if (since != null && !run.reused()) {
            double seconds = (System.nanoTime() - since) / 1e9;
            estimates.learn(job, seconds);
            workDone += estimates.seconds(job);
        }
        end(job, JobOutcome.pending(job).done(run));
    }

    @Override
    public synchronized void failed(PlannedJob job, Throwable cause) throws IOException {
        end(job, JobOutcome.pending(job).failed(Failure.describe(cause, pipeline.workDir())));
    }

    @Override
    public synchronized Optional<RunRef> known(PlannedJob job) throws IOException {
        SweepRecords.Row row = before.get(job.num());
        return row == null || job.options().force() ? Optional.empty() : SweepRecords.run(row, manifest, pipeline);
    }

    @Override
    public synchronized List<TokenPart> tokens() throws IOException {
        if (stopped || launcher.part().partial()) {
            return List.of();
        }
        List<JobOutcome> current = snapshot();
        TokenPercentiles percentiles = new TokenPercentiles(current);
        List<TokenPart> parts = TokenWork.parts(TokenPercentiles.runs(current), TokenWork.PART_BYTES);
        parts.forEach(percentiles::expect);
        TokenWork.reportStart(pipeline.listener(), parts);
        tokens = Optional.of(percentiles);
        tokensLeft = parts.size();
        return parts;
    }

    @Override
    public synchronized void counted(TokenPart part, TokenCounts counts) {
        tokens.orElseThrow().add(part, counts);
        tokensLeft--;
    }

    private void end(PlannedJob job, JobOutcome outcome) throws IOException {
        if (interrupted) {
            return; // the job fails only because the interruption removes its directory
        }
        outcomes.put(job.num(), outcome);
        running.remove(job.num());
        ended++;
        failed += outcome.status() == JobStatus.FAILED ? 1 : 0;
        workLeft -= estimates.seconds(job);
        stopped |= options.failFast() && outcome.status() == JobStatus.FAILED;
        listener.jobEnded(outcome, new SweepProgress(ended, failed, jobs.size(), secondsLeft()));
        if (System.nanoTime() - tableWritten > Math.max(MIN_TABLE_INTERVAL_NS, TABLE_SHARE * tableWriteNs)) {
            writeTables();
        }
    }

    private OptionalDouble secondsLeft() {
        double elapsed = (System.nanoTime() - startNs) / 1e9;
        return workDone > 0 ? OptionalDouble.of(Math.max(0, elapsed * workLeft / workDone)) : OptionalDouble.empty();
    }

    /** Runs when the process receives a signal. Prevents further jobs and records the state of running jobs. */
    private synchronized void stop() {
        stopped = true;
        interrupted = true;
        running.keySet().forEach(num -> outcomes.computeIfPresent(num, (n, outcome) -> outcome.interrupted()));
        try {
            writeTables();
        } catch (IOException e) {
            pipeline.listener().warning(manifest.stageName(), "cannot write the job table: " + IoErrors.describe(e));
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the process is shutting down, and the hook runs
        }
    }

    private synchronized List<JobOutcome> snapshot() {
        return new ArrayList<>(outcomes.values());
    }

    private synchronized void writeTables() throws IOException {
        long from = System.nanoTime();
        SweepTables.write(tables, snapshot(), !launcher.part().partial());
        tableWritten = System.nanoTime();
        tableWriteNs = tableWritten - from;
    }
}
