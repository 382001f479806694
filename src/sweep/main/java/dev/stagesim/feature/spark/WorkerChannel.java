package dev.stagesim.feature.spark;

import dev.stagesim.sweep.tokens.TokenPart;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Channel to a process that distributes tasks to remote workers. */
interface WorkerChannel extends AutoCloseable {
    /** Verb: execute a run; the payload is a {@link dev.stagesim.pipeline.request.PortableRun}. */
    String RUN = "run";

    /** Verb: execute the upstream runs of a run; the payload is the same. */
    String PREPARE = "prepare";

    /** Verb: count parts of token tables; the payload is a tab-separated list of {@link TokenPart}s. */
    String COUNT = "count";

    /** Verb: evaluate a search query without a run; the payload is a run. */
    String EVALUATE = "evaluate";

    /**
     * Result of a task.
     *
     * @param name name of the task
     * @param place worker that ran the task; empty if none did
     * @param words fields of the reply; the first is the outcome
     */
    record TaskResult(String name, String place, List<String> words) {
        public TaskResult {
            words = List.copyOf(words);
        }

        /** Outcome of the task. */
        String outcome() {
            return words.get(0);
        }
    }

    /**
     * Sends a task.
     *
     * @param places preferred workers; empty for any worker
     */
    void send(String name, String verb, List<String> places, String what) throws IOException, InterruptedException;

    /** Waits up to {@code ms} milliseconds for the next result; returns null if there is none. */
    @Nullable
    TaskResult poll(long ms) throws IOException, InterruptedException;

    /** Signals that no more tasks follow, and waits for the process to end. */
    void end() throws IOException, InterruptedException;

    @Override
    void close();
}
