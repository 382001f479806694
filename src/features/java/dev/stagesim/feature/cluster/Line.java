package dev.stagesim.feature.cluster;

/** Requests that wait in front of the cluster, in an order. */
interface Line {
    void add(int request);

    /** Takes the next one out; there is one. */
    int take();

    /** Takes a request out that is no longer to be served. */
    void remove(int request);

    int size();

    /** A request that was taken out has got all its tokens. */
    default void served(int request) {}
}
