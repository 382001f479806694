package dev.stagesim.cli;

import dev.stagesim.contract.JobStatus;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.RunRef;
import dev.stagesim.sweep.JobOutcome;
import dev.stagesim.sweep.SweepListener;
import dev.stagesim.sweep.SweepProgress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Tells a person what the pipeline does: a line for each run, and while a stage works, on a terminal one line that is redrawn, and
 * elsewhere a line every ten seconds.
 */
final class Progress implements PipelineListener, SweepListener {
    /** Sweeps up to this size get a line for each job; larger ones a line that is redrawn. */
    private static final int SHOWN_JOBS = 60;

    private static final long REDRAW_NANOS = 100_000_000L;
    private static final long LONG_NANOS = 2_000_000_000L;
    private static final long BETWEEN_LINES_NANOS = 10_000_000_000L;
    private static final long BEAT_MS = 500;
    private static final String SEARCH = "search";
    private static final String CLEAR = "\r\u001b[K";

    private final Console console;
    private final boolean quiet;
    private final Map<String, Long> begun = new ConcurrentHashMap<>();
    private final Map<String, Boolean> warned = new ConcurrentHashMap<>();
    private final Map<String, Work> working = new LinkedHashMap<>();
    private final LongSupplier nanos;
    private Optional<SweepProgress> sweep = Optional.empty();
    private long drawn;
    private long noted;
    private long told;
    private boolean line;

    /** A stage at work: since when, and the last it said. */
    private record Work(String stage, long since, String text) {}

    /** Looks at the clock until it is closed. */
    interface Beat extends AutoCloseable {
        @Override
        void close();
    }

    /** With {@code quiet}, only warnings are told: a sweep has its own lines. */
    Progress(Console console, boolean quiet) {
        this(console, quiet, System::nanoTime);
    }

    /** With a clock of its own. */
    Progress(Console console, boolean quiet, LongSupplier nanos) {
        this.console = console;
        this.quiet = quiet;
        this.nanos = nanos;
        this.told = nanos.getAsLong();
        this.drawn = told - REDRAW_NANOS;
        this.noted = drawn;
    }

    /** Tells how far the work is also when it says nothing for long. */
    Beat beat() {
        Timer timer = new Timer("progress", true);
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        tick();
                    }
                },
                BEAT_MS,
                BEAT_MS);
        return timer::cancel;
    }

    /** Tells how far the work is, if it is time to. */
    synchronized void tick() {
        long now = nanos.getAsLong();
        Optional<Work> first = working.values().stream().findFirst();
        if (first.isEmpty() && sweep.isEmpty()) {
            return;
        }
        long since = first.map(work -> now - work.since()).orElse(Long.MAX_VALUE);
        String text = quiet && sweep.isPresent()
                ? left(sweep.get())
                : first.map(work -> text(work, now)).orElse("");
        if (text.isEmpty()) {
            return;
        }
        if (since < LONG_NANOS) {
            return;
        }
        if (!console.live() && now - told >= BETWEEN_LINES_NANOS) {
            say(text);
        } else if (now - drawn >= LONG_NANOS) {
            overdraw(text);
        }
    }

    private static String text(Work work, long now) {
        String what = work.text().isEmpty() ? "working" : work.text();
        return work.stage() + ": " + what + ", " + time((now - work.since()) / 1e9);
    }

    @Override
    public synchronized void started(String stage, String runId) {
        begun.put(runId, nanos.getAsLong());
        working.put(runId, new Work(stage, nanos.getAsLong(), ""));
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
        working.remove(run.runId());
        if (!quiet) {
            Long since = begun.remove(run.runId());
            double seconds = since == null ? 0 : (nanos.getAsLong() - since) / 1e9;
            say(label(run) + console.dim(String.format(Locale.ROOT, "  %.2f s", seconds)));
        }
    }

    @Override
    public synchronized void progress(String stage, String what, long done, long total) {
        if (nanos.getAsLong() - noted < REDRAW_NANOS) {
            return;
        }
        noted = nanos.getAsLong();
        String count = total > 0
                ? String.format(Locale.ROOT, "%,d of %,d (%d %%)", done, total, 100 * done / total)
                : String.format(Locale.ROOT, "%,d", done);
        working.replaceAll(
                (id, work) -> work.stage().equals(stage) ? new Work(stage, work.since(), what + " " + count) : work);
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
        sweep = Optional.of(at).filter(now -> now.ended() < now.total());
        if (sweep.isPresent()) {
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

    /** Tells how many simulations a search has made; the first call, with none, begins it. */
    synchronized void simulated(int count) {
        String text = String.format(Locale.ROOT, "%,d simulations", count);
        long now = nanos.getAsLong();
        working.compute(SEARCH, (id, was) -> new Work(SEARCH, was == null ? now : was.since(), text));
        if (now - drawn >= REDRAW_NANOS) {
            overdraw("searching  " + text);
        }
    }

    /** Says no more of a search. */
    synchronized void searched() {
        working.remove(SEARCH);
        clear();
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
        told = nanos.getAsLong();
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
        drawn = nanos.getAsLong();
        line = true;
        console.err().print(CLEAR + console.dim(text));
        console.err().flush();
    }

    private static String label(RunRef run) {
        return String.format(Locale.ROOT, "%-14s %s", run.meta().runType(), Home.shown(run.dir()));
    }
}
