package dev.stagesim.feature.cluster.gateway;

/** Requests that wait in front of the cluster, in an order. */
interface AdmissionQueue {
    void add(int request);

    /** Takes the next one out; there is one. */
    int take();

    /** Takes a request out that is no longer to be served. */
    void remove(int request);

    int size();

    /** True if the order depends on the output tokens of requests that were taken out. */
    default boolean chargesOutput() {
        return false;
    }

    /** Notes that a request that was taken out has produced {@code tokens} output tokens so far. */
    default void produced(int request, int tokens) {}
}
