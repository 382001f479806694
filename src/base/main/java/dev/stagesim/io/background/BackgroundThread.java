package dev.stagesim.io.background;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * A thread that runs tasks in the order of submission, concurrent with the caller. No task runs after one has failed.
 * {@link #close} waits for the end of all tasks, so that no work continues after a failure of the caller.
 *
 * <p><b>Caveat:</b> one thread submits and closes. Tasks of {@link #start} are not limited in number, so they must not own
 * much data.
 */
public final class BackgroundThread implements Closeable {
    /** A task that may fail with an I/O error. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T run() throws IOException;
    }

    /** The result of a task. */
    public record Result<T extends @Nullable Object>(FutureTask<T> task) {
        /** Waits for the result; rethrows the exception of the task. */
        public T get() throws IOException {
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
    }

    /** Maximum number of unfinished tasks of {@link #add}. */
    private static final int MAX_WAITING = 16;

    private static final FutureTask<Boolean> END = new FutureTask<>(() -> true);

    private final LinkedBlockingQueue<FutureTask<?>> waiting = new LinkedBlockingQueue<>();
    private final Deque<Result<?>> unchecked = new ArrayDeque<>();
    private final Thread thread;
    /** Whether a task has failed; only the thread uses it. */
    private boolean hasFailed;

    public BackgroundThread(String name) {
        thread = new Thread(this::runAll, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void runAll() {
        try {
            for (FutureTask<?> task = waiting.take(); task != END; task = waiting.take()) {
                task.run();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private <T extends @Nullable Object> T run(Work<T> work) throws IOException {
        if (hasFailed) {
            throw new CancellationException("an earlier task failed");
        }
        hasFailed = true;
        T result = work.run();
        hasFailed = false;
        return result;
    }

    /** Submits a task. */
    public <T extends @Nullable Object> Result<T> start(Work<T> work) {
        FutureTask<T> task = new FutureTask<>(() -> run(work));
        waiting.add(task);
        return new Result<>(task);
    }

    /**
     * Submits a task without a result. Waits while too many tasks are unfinished. Throws the exception of an earlier one
     * that has failed.
     */
    public void add(Work<?> work) throws IOException {
        while (!unchecked.isEmpty()
                && (unchecked.size() >= MAX_WAITING
                        || unchecked.getFirst().task().isDone())) {
            unchecked.removeFirst().get();
        }
        unchecked.addLast(start(work));
    }

    /** Waits for all tasks of {@link #add}; rethrows the first exception. */
    public void finish() throws IOException {
        while (!unchecked.isEmpty()) {
            unchecked.removeFirst().get();
        }
    }

    @Override
    public void close() {
        waiting.add(END);
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException interrupted) {
                isInterrupted = true; // wait all the same: the caller then closes what the tasks use
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
