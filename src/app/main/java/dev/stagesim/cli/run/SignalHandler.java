package dev.stagesim.cli.run;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.pipeline.Pipeline;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Removes unfinished runs when the process receives a signal (Ctrl-C, SIGTERM).
 *
 * <p>The exit code remains the code of the signal, 130 for Ctrl-C. Work that continues until the user stops it, such as
 * a server, is then complete, and the command succeeds.
 */
final class SignalHandler implements AutoCloseable {
    private static final long MAX_SHUTDOWN_SECONDS = 60;

    /** The kind of work: jobs with one run each, or one run. */
    enum Work {
        JOBS,
        RUN
    }

    private final Thread hook;
    private final CountDownLatch done;
    private final AtomicBoolean finished;

    private SignalHandler(Thread hook, CountDownLatch done, AtomicBoolean finished) {
        this.hook = hook;
        this.done = done;
        this.finished = finished;
    }

    /** Handles signals for the runs of a pipeline until it is closed. */
    static SignalHandler watch(Console console, Progress progress, Pipeline pipeline, Work work) {
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
        return new SignalHandler(hook, done, finished);
    }

    /** Waits for the last output of the command. The process then ends normally. */
    private static void finish(Console console, Progress progress, CountDownLatch done, AtomicBoolean finished) {
        progress.clear();
        try {
            if (done.await(MAX_SHUTDOWN_SECONDS, TimeUnit.SECONDS) && finished.get()) {
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
                : "the measurements are in " + Home.shown(journals.get(0)) + "; the same command resumes from there";
    }

    private static void tidy(Console console, Progress progress, Pipeline pipeline, Work work) {
        progress.clear();
        console.info("interrupted: " + words(pipeline, work));
        // later messages of working threads are consequences of the shutdown
        console.err().close();
        pipeline.abandon();
    }

    /** Marks the command as complete, including its output. */
    void finished() {
        finished.set(true);
    }

    @Override
    public void close() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the process is shutting down, and the hook runs
        }
    }
}
