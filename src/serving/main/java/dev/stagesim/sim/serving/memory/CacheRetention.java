package dev.stagesim.sim.serving.memory;

/** Protects the cached blocks of some requests from eviction for a limited time. */
public interface CacheRetention {
    /** Returns the current time in seconds. */
    double now();

    /**
     * Returns the time until which the released blocks of a request are evicted last. A time in the past means no
     * protection.
     */
    double until(int request);

    /** Reports the number of free blocks that are protected. */
    void held(int blocks);

    /** Reports a cache hit on a block that would have been evicted without protection. */
    void saved();
}
