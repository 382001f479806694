package dev.stagesim.sim.serving;

import java.util.Set;

/**
 * Receives what happens in a simulation, as it happens; times are seconds and never go back.
 *
 * <p>Every method does nothing by default. Kinds that come often are delivered only to recorders that ask for them in
 * {@link #signals()}.
 */
public interface ServingRecorder {
    /** Frequent kinds of callback. */
    enum Signal {
        /** {@link #tokenEmitted}, {@link #decodeLatency} and {@link #prefillCompleted}, one by one. */
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
        /** {@link #memorySample}, {@link #queueSample}, {@link #admissionSample} and {@link #cacheAsked}. */
        MEMORY,
        /** {@link #memorySample}. */
        BLOCKS,
        /** {@link #queueSample}. */
        QUEUE,
        /** {@link #admissionSample}. */
        ADMISSION
    }

    /** The frequent kinds this recorder wants. */
    default Set<Signal> signals() {
        return Set.of();
    }

    /** Whether nothing that it hears would change it any more; it is asked now and then, and hears nothing afterwards. */
    default boolean isDone() {
        return false;
    }

    /**
     * Whether it reads the accounts of requests between their first token and their last, other than of one that is restarted or
     * withdrawn.
     */
    default boolean readsRequests() {
        return true;
    }

    default void requestArrived(int request, double time) {}

    default void requestAssigned(int request, int replica, double time) {}

    /**
     * All of a request's state is final, others' may be of some time ago; called before its last token is reported.
     */
    default void requestCompleted(int request, double time, RequestStates states) {}

    default void requestRestarted(int request, double time) {}

    /** Request cancelled; its resources are released and it gets no more tokens. */
    default void requestWithdrawn(int request, double time) {}

    /**
     * An output token exists.
     *
     * @param index 0 for the first output token
     */
    default void tokenEmitted(int request, int index, double time) {}

    default void batchScheduled(Batch batch, double time) {}

    /** A stage started on a batch; {@code mfuPercent} is its model FLOPs utilisation. */
    default void stageStarted(Batch batch, int stage, double time, double mfuPercent) {}

    default void stageEnded(Batch batch, int stage, double time, double totalSeconds, double modelSeconds) {}

    /** A batch is done, and its requests' counts are updated. */
    default void batchEnded(Batch batch, double time, RequestStates states) {}

    /** KV blocks in use after a batch was formed or has ended. */
    default void memorySample(int replica, double time, long allocated, long total) {}

    /** Requests that wait on a replica; right after each memory sample. */
    default void queueSample(int replica, double time, int waiting) {}

    /** Requests were admitted whose prompts have so many tokens, {@code hits} of them in the prefix cache. */
    default void cacheAsked(int tokens, int hits, double time) {}

    /** What keeps waiting requests out, after a replica looked for a batch. */
    default void admissionSample(int replica, double time, AdmissionLimit limit) {}

    /**
     * An event was handled; events it created have consecutive ids.
     *
     * @param stage pipeline stage, or -1
     * @param batch id of the batch, or -1
     * @param request request, or -1
     * @param firstCreated id of the first event created
     * @param created number of events created
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

    /** One output token of a request that is past its first, with the time since its previous one. */
    default void decodeLatency(double seconds, double time) {}

    /** As many output tokens of a batch that came equally long after their requests' previous ones. */
    default void decodeLatencies(double seconds, int count, double time) {}

    /** As many output tokens came whose requests' previous tokens had all come at {@code since}. */
    default void tokenGaps(double since, int count, double time) {}

    /** A request's first prefill is complete. */
    default void prefillCompleted(int tokens, double time) {}
}
