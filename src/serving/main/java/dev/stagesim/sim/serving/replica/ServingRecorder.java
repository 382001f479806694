package dev.stagesim.sim.serving.replica;

import java.util.Set;

/**
 * Receives the events of a simulation while it runs; times are in seconds and never decrease.
 *
 * <p>Every method is empty by default. Frequent events are delivered only to recorders that list them in {@link #signals()}.
 */
public interface ServingRecorder {
    /** Frequent kinds of events. */
    enum Signal {
        /** {@link #tokenEmitted}, {@link #decodeLatency} and {@link #prefillCompleted}, individually. */
        TOKENS,
        /** {@link #decodeLatencies} and {@link #tokenGaps}. */
        LATENCIES,
        /** {@link #eventHandled}. */
        EVENTS,
        /** {@link #batchScheduled}, {@link #batchEnded}, {@link #stageStarted} and {@link #stageEnded}. */
        BATCHES,
        /** {@link #batchScheduled}. */
        BATCH_FORMED,
        /** {@link #stageStarted}. */
        STAGE_STARTED,
        /** {@link #stageEnded}. */
        STAGE_ENDED,
        /** {@link #batchEnded}. */
        BATCH_ENDED,
        /** {@link #memorySample}, {@link #queueSample}, {@link #admissionSample} and {@link #cacheLookup}. */
        MEMORY,
        /** {@link #memorySample}. */
        BLOCKS,
        /** {@link #queueSample}. */
        QUEUE,
        /** {@link #admissionSample}. */
        ADMISSION
    }

    /** Returns the frequent kinds that this recorder receives. */
    default Set<Signal> signals() {
        return Set.of();
    }

    /**
     * Returns true if no further event would change the recorder. It is checked from time to time; a recorder that is done
     * receives no more events.
     */
    default boolean isDone() {
        return false;
    }

    default void requestArrived(int request, double time) {}

    default void requestAssigned(int request, int replica, double time) {}

    /**
     * Called before the last token of a request is reported. The state of this request is final; the states of others may be
     * older.
     */
    default void requestCompleted(int request, double time, RequestStates states) {}

    /** All requests before {@code end} have completed, and no event will change their states. It is reported from time to time. */
    default void requestsSettled(int end, RequestStates states) {}

    default void requestRestarted(int request, double time) {}

    /** The request was cancelled; its memory is free and it gets no more tokens. */
    default void requestWithdrawn(int request, double time) {}

    /**
     * An output token was produced.
     *
     * @param index index of the token, from 0
     */
    default void tokenEmitted(int request, int index, double time) {}

    default void batchScheduled(Batch batch, double time) {}

    /** A stage started a batch; {@code mfuPercent} is its model FLOPs utilisation. */
    default void stageStarted(Batch batch, int stage, double time, double mfuPercent) {}

    default void stageEnded(Batch batch, int stage, double time, double totalSeconds, double modelSeconds) {}

    /** A batch ended; the states of its requests are updated. */
    default void batchEnded(Batch batch, double time, RequestStates states) {}

    /** KV blocks in use after a batch was formed or has ended. */
    default void memorySample(int replica, double time, long allocated, long total) {}

    /** Number of waiting requests of a replica, reported immediately after each memory sample. */
    default void queueSample(int replica, double time, int waiting) {}

    /**
     * Requests were admitted. Their prompts have {@code tokens} tokens, and {@code hits} of them were in the prefix cache.
     */
    default void cacheLookup(int tokens, int hits, double time) {}

    /** The limit that keeps waiting requests out, after a replica formed a batch. */
    default void admissionSample(int replica, double time, AdmissionLimit limit) {}

    /**
     * An event was handled; the events that it created have consecutive ids.
     *
     * @param stage pipeline stage, or -1
     * @param batch id of the batch, or -1
     * @param request request, or -1
     * @param firstCreated id of the first created event
     * @param created number of created events
     */
    default void eventHandled(
            double time,
            long id,
            EventType type,
            int replica,
            int stage,
            long batch,
            int request,
            long firstCreated,
            int created) {}

    /** An output token after the first one, with the time since the previous token of the request. */
    default void decodeLatency(double seconds, double time) {}

    /** {@code count} output tokens of a batch with equal times since the previous tokens of their requests. */
    default void decodeLatencies(double seconds, int count, double time) {}

    /** {@code count} output tokens of requests that all had their previous token at {@code since}. */
    default void tokenGaps(double since, int count, double time) {}

    /** The first prefill of a request is complete. */
    default void prefillCompleted(int tokens, double time) {}
}
