package dev.stagesim.feature.cluster.gateway;

/** The requests that wait in the gateway. */
interface AdmissionQueue {
    void add(int request);

    /** Removes and returns the next request of a non-empty queue. */
    int take();

    /** Removes a request that was cancelled. */
    void remove(int request);

    int size();

    /** True if the order depends on the output tokens of requests that have left the queue. */
    default boolean chargesOutput() {
        return false;
    }

    /** Records that a request that has left the queue has produced {@code tokens} output tokens so far. */
    default void produced(int request, int tokens) {}
}
