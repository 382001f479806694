package dev.stagesim.pipeline;

import dev.stagesim.contract.JobStatus;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs many jobs of one stage on local threads, each into its own run directory, and gathers their figures.
 *
 * <p>The sweep's directory {@code tmp/sweeps/<id>/} has the job table, kept up to date, and {@code results.csv}; both
 * depend on the jobs alone, not on the number of threads. A sweep that is started again finds its finished jobs; its id
 * follows what the jobs ask, so the same overrides of another configuration are another sweep.
 */
public final class Sweep {
    static final String FOLDER = "sweeps";
    private static final int HEX_DIGITS = 10;
    private static final long BETWEEN_TABLES_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Pipeline pipeline;
    private final PipelineListener listener;
    private final Stage<?> stage;
    private final List<PlannedJob> planned;
    private final LaunchOptions options;
    private final JobOutcome[] jobs;
    private final boolean[] running;
    private final String sweepId;
    private final Path dir;
    private final AtomicInteger ended = new AtomicInteger();
    private volatile boolean stopped;
    private boolean told;
    private long tableWritten;

    private Sweep(Pipeline pipeline, Stage<?> stage, List<PlannedJob> jobs, LaunchOptions options) {
        this.pipeline = pipeline;
        this.listener = pipeline.listener();
        this.stage = stage;
        this.planned = List.copyOf(jobs);
        this.options = options;
        this.jobs = new JobOutcome[jobs.size()];
        for (int i = 0; i < this.jobs.length; i++) {
            this.jobs[i] = JobOutcome.pending(i, jobs.get(i).overrides());
        }
        this.running = new boolean[jobs.size()];
        this.sweepId = "sweep-" + Digests.sha256(Json.compact(describe())).substring(0, HEX_DIGITS);
        this.dir = pipeline.store().root().resolve(FOLDER).resolve(sweepId);
    }

    /**
     * Runs the jobs.
     *
     * @param jobs the jobs, in order
     * @return what became of each job; problems of single jobs do not throw
     */
    public static SweepResult run(Pipeline pipeline, Stage<?> stage, List<PlannedJob> jobs, LaunchOptions options) {
        try {
            return new Sweep(pipeline, stage, jobs, options).run();
        } catch (IOException e) {
            throw StageException.failed(Problem.of("sweep failed", stage.spec().name(), FileTrouble.describe(e)), e);
        }
    }

    private SweepResult run() throws IOException {
        Files.createDirectories(dir);
        Json.write(dir.resolve("sweep.json"), describe());
        writeTables();
        // an interrupted process keeps the finished runs, and a job table that says how far it came
        Thread hook = new Thread(this::stop, "sweep-stop");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            runJobs();
        } finally {
            removeHook(hook);
        }
        writeTables();
        SweepTables.writeFailed(dir, snapshot());
        return new SweepResult(dir, sweepId, snapshot());
    }

    private JsonValue describe() {
        return JsonValue.object()
                .put("stage", stage.spec().name())
                .put("jobs", JsonValue.of(planned.stream().map(Sweep::describe).toList()))
                .build();
    }

    private static JsonValue describe(PlannedJob job) {
        return JsonValue.object()
                .put("overrides", JsonValue.strings(job.overrides()))
                .put("question", job.question())
                .build();
    }

    private void runJobs() throws IOException {
        int threads = Math.max(1, Math.min(options.threads(), jobs.length));
        ExecutorService pool = Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(work, "sweep-job");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<?>> pending = new ArrayList<>();
            for (int i = 0; i < jobs.length; i++) {
                int num = i;
                pending.add(pool.submit(() -> job(num)));
            }
            for (Future<?> job : pending) {
                job.get();
            }
        } catch (InterruptedException e) {
            stopped = true;
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            if (e.getCause() instanceof UncheckedIOException unchecked) {
                throw unchecked.getCause();
            }
            throw new IllegalStateException("a sweep's thread failed", e.getCause());
        } finally {
            stopped = true;
            pool.shutdown();
        }
    }

    private void job(int num) {
        if (!begin(num)) {
            return;
        }
        JobOutcome job = jobs[num];
        try {
            PlannedJob plan = planned.get(num);
            job = job.done(pipeline.run(stage, plan.request().get(), plan.options()));
        } catch (RuntimeException e) {
            job = job.failed(e);
        }
        end(job);
        listener.jobEnded(job, ended.incrementAndGet(), jobs.length);
    }

    private synchronized boolean begin(int num) {
        running[num] = !stopped;
        return running[num];
    }

    private synchronized void end(JobOutcome job) {
        if (told) {
            return; // a job whose directory was taken away has not failed
        }
        jobs[job.num()] = job;
        running[job.num()] = false;
        stopped |= options.failFast() && job.status() == JobStatus.FAILED;
        long now = System.nanoTime();
        if (now - tableWritten > BETWEEN_TABLES_NS) {
            try {
                writeTables();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Runs when the process is told to end: begins no further job and says how far the others are. */
    private synchronized void stop() {
        stopped = true;
        told = true;
        for (int i = 0; i < jobs.length; i++) {
            jobs[i] = running[i] ? jobs[i].interrupted() : jobs[i];
        }
        try {
            writeTables();
        } catch (IOException e) {
            listener.warning(stage.spec().name(), "cannot write the job table: " + FileTrouble.describe(e));
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the process is ending, and the hook runs
        }
    }

    private synchronized List<JobOutcome> snapshot() {
        return List.of(jobs.clone());
    }

    private synchronized void writeTables() throws IOException {
        SweepTables.write(dir, snapshot());
        tableWritten = System.nanoTime();
    }
}
