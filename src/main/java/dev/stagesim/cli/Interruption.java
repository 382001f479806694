package dev.stagesim.cli;

import dev.stagesim.pipeline.Pipeline;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Leaves nothing half-made behind when the process is told to end (Ctrl-C, SIGTERM) while runs are under way.
 *
 * <p>The exit code stays that of the signal, 130 for Ctrl-C; but work that goes on until a person ends it, such as a server, is then
 * done, and so is the command.
 */
final class Interruption implements AutoCloseable {
    private static final long LONGEST_END_S = 60;

    /** Of jobs that are each a run, and of one run. */
    enum Work {
        JOBS,
        RUN
    }

    private final Thread hook;
    private final CountDownLatch done;
    private final AtomicBoolean finished;

    private Interruption(Thread hook, CountDownLatch done, AtomicBoolean finished) {
        this.hook = hook;
        this.done = done;
        this.finished = finished;
    }

    /** Watches over the runs of a pipeline until it is closed. */
    static Interruption watch(Console console, Progress progress, Pipeline pipeline, Work work) {
        CountDownLatch done = new CountDownLatch(1);
        AtomicBoolean finished = new AtomicBoolean();
        Thread hook = new Thread(
                () -> {
                    if (pipeline.end()) {
                        finish(console, progress, done, finished);
                    } else {
                        tidy(console, progress, pipeline, work);
                    }
                },
                "interrupted");
        Runtime.getRuntime().addShutdownHook(hook);
        return new Interruption(hook, done, finished);
    }

    /** Waits for the command's last words; the process then ends as if it had ended by itself. */
    private static void finish(Console console, Progress progress, CountDownLatch done, AtomicBoolean finished) {
        progress.clear();
        try {
            if (done.await(LONGEST_END_S, TimeUnit.SECONDS) && finished.get()) {
                console.out().flush();
                console.err().flush();
                Runtime.getRuntime().halt(ExitCode.DONE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String words(Pipeline pipeline, Work work) {
        List<Path> journals = pipeline.journals();
        if (work == Work.JOBS) {
            return "finished runs are kept; the same command resumes from there";
        }
        return journals.isEmpty()
                ? "finished runs are kept; the unfinished run is deleted, and the same command starts it again"
                : "what was measured is in " + Home.shown(journals.get(0)) + "; the same command resumes from there";
    }

    private static void tidy(Console console, Progress progress, Pipeline pipeline, Work work) {
        progress.clear();
        console.say("interrupted: " + words(pipeline, work));
        // what the threads still at work complain of from here on is of our own making
        console.err().close();
        pipeline.abandon();
    }

    /** The command has done what it was to do, and has said so. */
    void finished() {
        finished.set(true);
    }

    @Override
    public void close() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the process is ending, and the hook runs
        }
    }
}
