package dev.stagesim.cli;

import dev.stagesim.contract.JobStatus;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.RunRef;
import dev.stagesim.sweep.JobOutcome;
import dev.stagesim.sweep.SweepListener;
import dev.stagesim.sweep.SweepProgress;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells a person what the pipeline does: a line for each run, and on a terminal one line that is redrawn while a stage
 * works.
 */
final class Progress implements PipelineListener, SweepListener {
    /** Sweeps up to this size get a line for each job; larger ones a line that is redrawn. */
    private static final int SHOWN_JOBS = 60;

    private static final long REDRAW_NANOS = 100_000_000L;
    private static final String CLEAR = "\r\u001b[K";

    private final Console console;
    private final boolean quiet;
    private final Map<String, Long> begun = new ConcurrentHashMap<>();
    private final Map<String, Boolean> warned = new ConcurrentHashMap<>();
    private long drawn;
    private boolean line;

    /** With {@code quiet}, only warnings are told: a sweep has its own lines. */
    Progress(Console console, boolean quiet) {
        this.console = console;
        this.quiet = quiet;
    }

    @Override
    public synchronized void started(String stage, String runId) {
        begun.put(runId, System.nanoTime());
        redraw(stage + " ...");
    }

    @Override
    public synchronized void reused(RunRef run) {
        if (!quiet) {
            say(label(run) + console.dim("  reused"));
        }
    }

    @Override
    public synchronized void finished(RunRef run) {
        if (!quiet) {
            Long since = begun.remove(run.runId());
            double seconds = since == null ? 0 : (System.nanoTime() - since) / 1e9;
            say(label(run) + console.dim(String.format(Locale.ROOT, "  %.2f s", seconds)));
        }
    }

    @Override
    public synchronized void progress(String stage, String what, long done, long total) {
        if (System.nanoTime() - drawn < REDRAW_NANOS) {
            return;
        }
        String count = total > 0
                ? String.format(Locale.ROOT, "%,d of %,d (%d %%)", done, total, 100 * done / total)
                : String.format(Locale.ROOT, "%,d", done);
        redraw(stage + "  " + what + "  " + count);
    }

    @Override
    public synchronized void warning(String stage, String message) {
        if (warned.putIfAbsent(stage + message, true) == null) {
            say(console.yellow("warning: ") + stage + ": " + message);
        }
    }

    @Override
    public synchronized void said(String stage, String message) {
        say(stage + ": " + message);
    }

    @Override
    public synchronized void waiting(String stage, String runId, Path dir) {
        say(stage + ": waiting for another process that makes " + Home.shown(dir));
    }

    @Override
    public synchronized void jobEnded(JobOutcome job, SweepProgress at) {
        String text = String.format(
                Locale.ROOT, "%d/%d  #%d  %s  %s", at.ended(), at.total(), job.num(), how(job), overrides(job));
        if (at.total() <= SHOWN_JOBS || job.status() == JobStatus.FAILED) {
            say(text);
        }
        if (at.ended() < at.total()) {
            overdraw(left(at));
        }
    }

    /** How far the sweep is and how long it will take. */
    private static String left(SweepProgress at) {
        String failed = at.failed() == 0 ? "" : "  " + at.failed() + " failed";
        String time = at.secondsLeft().isEmpty()
                ? ""
                : "  about " + time(at.secondsLeft().getAsDouble()) + " left";
        return String.format(
                Locale.ROOT, "%d/%d  %d %%%s%s", at.ended(), at.total(), 100L * at.ended() / at.total(), failed, time);
    }

    private static String time(double seconds) {
        long whole = Math.round(seconds);
        if (whole < 60) {
            return whole + " s";
        }
        return whole < 3600
                ? String.format(Locale.ROOT, "%d min %02d s", whole / 60, whole % 60)
                : String.format(Locale.ROOT, "%d h %02d min", whole / 3600, whole / 60 % 60);
    }

    /** A run that was there before is said to be reused; the table keeps saying done. */
    private static String how(JobOutcome job) {
        boolean reused = job.status() == JobStatus.DONE
                && job.run().filter(RunRef::reused).isPresent();
        return reused ? "reused" : job.status().text();
    }

    private static String overrides(JobOutcome job) {
        return String.join(" ", job.overrides());
    }

    /** Tells how many simulations a search has made. */
    synchronized void simulated(int count) {
        if (System.nanoTime() - drawn >= REDRAW_NANOS) {
            overdraw(String.format(Locale.ROOT, "searching  %,d simulations", count));
        }
    }

    /** Removes the line that is being redrawn, if any. */
    synchronized void clear() {
        if (line) {
            console.err().print(CLEAR);
            console.err().flush();
            line = false;
        }
    }

    private void say(String text) {
        clear();
        console.say(text);
    }

    private void redraw(String text) {
        if (!quiet) {
            overdraw(text);
        }
    }

    private void overdraw(String text) {
        if (!console.live()) {
            return;
        }
        drawn = System.nanoTime();
        line = true;
        console.err().print(CLEAR + console.dim(text));
        console.err().flush();
    }

    private static String label(RunRef run) {
        return String.format(Locale.ROOT, "%-14s %s", run.meta().runType(), Home.shown(run.dir()));
    }
}
