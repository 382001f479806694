package dev.stagesim.stage.workload;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Work that goes on in a thread of its own while this one does something else.
 *
 * <p>Closing waits for its end, so that nothing goes on after a failure.
 */
final class Meanwhile<T> implements Closeable {
    /** Work that may fail to read. */
    @FunctionalInterface
    interface Work<T> {
        T run() throws IOException;
    }

    private final FutureTask<T> task;
    private final Thread thread;

    private Meanwhile(Work<T> work) {
        task = new FutureTask<>(work::run);
        thread = new Thread(task, "meanwhile");
        thread.setDaemon(true);
        thread.start();
    }

    static <T> Meanwhile<T> of(Work<T> work) {
        return new Meanwhile<>(work);
    }

    /** The result, once it is there; what the work threw is thrown here. */
    T get() throws IOException {
        try {
            return task.get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            if (cause instanceof IOException io) {
                throw io;
            }
            if (cause instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(cause);
        }
    }

    @Override
    public void close() {
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
