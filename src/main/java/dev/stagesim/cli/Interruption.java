package dev.stagesim.cli;

import dev.stagesim.pipeline.Pipeline;

/**
 * Leaves nothing half-made behind when the process is told to end (Ctrl-C, SIGTERM) while runs are under way.
 *
 * <p>The exit code stays that of the signal, 130 for Ctrl-C.
 */
final class Interruption implements AutoCloseable {
    private final Thread hook;

    private Interruption(Thread hook) {
        this.hook = hook;
    }

    /** Watches over the runs of a pipeline until it is closed. */
    static Interruption watch(Console console, Progress progress, Pipeline pipeline) {
        Thread hook = new Thread(() -> tidy(console, progress, pipeline), "interrupted");
        Runtime.getRuntime().addShutdownHook(hook);
        return new Interruption(hook);
    }

    private static void tidy(Console console, Progress progress, Pipeline pipeline) {
        progress.clear();
        console.say("interrupted: finished runs are kept; the same command goes on from there");
        // what the threads still at work complain of from here on is of our own making
        console.err().close();
        pipeline.abandon();
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the process is ending, and the hook runs
        }
    }
}
