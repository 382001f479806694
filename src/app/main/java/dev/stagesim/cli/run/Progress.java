package dev.stagesim.cli.run;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.Home;
import dev.stagesim.model.Count;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunMeta.Warning;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.sweep.JobOutcome;
import dev.stagesim.sweep.JobStatus;
import dev.stagesim.sweep.SweepListener;
import dev.stagesim.sweep.SweepProgress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * Displays the progress of the pipeline: one line per run, and for a working stage one redrawn line on a terminal, or
 * one line every ten seconds elsewhere.
 */
final class Progress implements PipelineListener, SweepListener {
    /** Maximum number of jobs with one line each. Larger sweeps have one redrawn line. */
    private static final int SHOWN_JOBS = 60;

    private static final long REDRAW_NANOS = 100_000_000L;
    private static final long LONG_NANOS = 2_000_000_000L;
    private static final long BETWEEN_LINES_NANOS = 10_000_000_000L;
    private static final long BEAT_MS = 500;
    private static final String SEARCH = "search";
    private static final String CLEAR = "\r\u001b[K";

    private final Console console;
    private final boolean quiet;
    private final UnaryOperator<List<String>> typed;
    private final Map<String, Long> begun = new ConcurrentHashMap<>();
    private final Map<String, Boolean> warned = new ConcurrentHashMap<>();
    private final Map<String, Work> working = new LinkedHashMap<>();
    private final LongSupplier nanos;
    private Optional<SweepProgress> sweep = Optional.empty();
    private Optional<Set<Warning>> deferred = Optional.empty();
    private long lastRedraw;
    private long lastNote;
    private long lastLine;
    private boolean line;

    /** A working stage, its start time, and its last progress text. */
    private record Work(String stage, long since, String text) {}

    /** A timer that displays progress until it is closed. */
    interface Beat extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Creates a display.
     *
     * @param quiet true to display only warnings, because a sweep prints its own lines
     */
    Progress(Console console, boolean quiet) {
        this(console, quiet, System::nanoTime, UnaryOperator.identity());
    }

    /** @param typed returns the overrides of a job as the user typed them */
    Progress(Console console, boolean quiet, UnaryOperator<List<String>> typed) {
        this(console, quiet, System::nanoTime, typed);
    }

    /** Creates a display with another clock. */
    Progress(Console console, boolean quiet, LongSupplier nanos, UnaryOperator<List<String>> typed) {
        this.console = console;
        this.typed = typed;
        this.quiet = quiet;
        this.nanos = nanos;
        this.lastLine = nanos.getAsLong();
        this.lastRedraw = lastLine - REDRAW_NANOS;
        this.lastNote = lastRedraw;
    }

    /** Displays progress also when the work reports nothing for a long time. */
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

    /** Displays progress if the interval has passed. */
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
        if (!console.live() && now - lastLine >= BETWEEN_LINES_NANOS) {
            info(text);
        } else if (now - lastRedraw >= LONG_NANOS) {
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
        List<RunMeta.Warning> warnings = run.meta().warnings().stream()
                .filter(warning -> warning.stage().equals(run.meta().runType()))
                .toList();
        if (quiet) {
            warnings.forEach(warning -> warning(warning.stage(), warning.message()));
        } else {
            String count = warnings.isEmpty()
                    ? ""
                    : "; " + Count.of(warnings.size(), "warning") + ": stage runs show " + run.runId();
            info(label(run) + console.dim("  reused") + count);
        }
    }

    @Override
    public synchronized void finished(RunRef run) {
        working.remove(run.runId());
        if (!quiet) {
            Long since = begun.remove(run.runId());
            double seconds = since == null ? 0 : (nanos.getAsLong() - since) / 1e9;
            info(label(run) + console.dim(String.format(Locale.ROOT, "  %.2f s", seconds)));
        }
    }

    @Override
    public synchronized void progress(String stage, String what, long done, long total) {
        if (nanos.getAsLong() - lastNote < REDRAW_NANOS) {
            return;
        }
        lastNote = nanos.getAsLong();
        String count = total > 0
                ? String.format(Locale.ROOT, "%,d of %,d (%d %%)", done, total, 100 * done / total)
                : String.format(Locale.ROOT, "%,d", done);
        working.replaceAll(
                (id, work) -> work.stage().equals(stage) ? new Work(stage, work.since(), what + " " + count) : work);
        redraw(stage + "  " + what + "  " + count);
    }

    @Override
    public synchronized void warning(String stage, String message) {
        if (deferred.isPresent()) {
            deferred.get().add(new Warning(stage, message));
        } else if (warned.putIfAbsent(stage + message, true) == null) {
            warn(stage + ": " + message);
        }
    }

    private void warn(String text) {
        info(console.yellow("warning: ") + text);
    }

    /** Prints warnings only when the sweep has ended. */
    synchronized void deferWarnings() {
        deferred = Optional.of(new LinkedHashSet<>());
    }

    /** Prints the deferred warnings: those of runs with their jobs, and all others. */
    synchronized void warnings(List<JobOutcome> jobs) {
        Set<Warning> others = deferred.orElseGet(LinkedHashSet::new);
        jobs.forEach(job -> job.run()
                .ifPresent(run -> others.removeAll(Set.copyOf(run.meta().warnings()))));
        SweepWarnings.lines(jobs, typed).forEach(this::warn);
        others.forEach(warning -> warn(SweepWarnings.text(warning)));
        deferred = Optional.empty();
    }

    @Override
    public synchronized void notice(String stage, String message) {
        if (warned.putIfAbsent(stage + message, true) == null) {
            info(stage + ": " + message);
        }
    }

    @Override
    public synchronized void waiting(String stage, String runId, Path dir) {
        info(stage + ": waiting for another process that creates " + Home.shown(dir));
    }

    @Override
    public synchronized void jobEnded(JobOutcome job, SweepProgress at) {
        String text = String.format(
                Locale.ROOT, "%d/%d  #%d  %s  %s", at.ended(), at.total(), job.num(), how(job), overrides(job));
        if (at.total() <= SHOWN_JOBS || job.status() == JobStatus.FAILED) {
            info(text);
        }
        sweep = Optional.of(at).filter(now -> now.ended() < now.total());
        if (sweep.isPresent()) {
            overdraw(left(at));
        }
    }

    /** Returns the progress and the remaining time of the sweep. */
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

    /** Returns the displayed status: an existing run is reused, while the table lists it as done. */
    private static String how(JobOutcome job) {
        boolean reused = job.status() == JobStatus.DONE
                && job.run().filter(RunRef::reused).isPresent();
        return reused ? "reused" : job.status().text();
    }

    private String overrides(JobOutcome job) {
        return String.join(" ", typed.apply(job.overrides()));
    }

    /** Displays the number of simulations of a search. The first call, with zero, starts the search. */
    synchronized void simulated(int count) {
        String text = String.format(Locale.ROOT, "%,d simulations", count);
        long now = nanos.getAsLong();
        working.compute(SEARCH, (id, was) -> new Work(SEARCH, was == null ? now : was.since(), text));
        if (now - lastRedraw >= REDRAW_NANOS) {
            overdraw("searching  " + text);
        }
    }

    /** Ends the display of a search. */
    synchronized void searched() {
        working.remove(SEARCH);
        clear();
    }

    /** Removes the redrawn line, if any. */
    synchronized void clear() {
        if (line) {
            console.err().print(CLEAR);
            console.err().flush();
            line = false;
        }
    }

    private void info(String text) {
        clear();
        console.info(text);
        lastLine = nanos.getAsLong();
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
        lastRedraw = nanos.getAsLong();
        line = true;
        console.err().print(CLEAR + console.dim(text));
        console.err().flush();
    }

    private static String label(RunRef run) {
        return String.format(Locale.ROOT, "%-14s %s", run.meta().runType(), Home.shown(run.dir()));
    }
}
