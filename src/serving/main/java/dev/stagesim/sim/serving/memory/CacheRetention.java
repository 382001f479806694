package dev.stagesim.sim.serving.memory;

/** Keeps what some requests leave in a cache from giving way to others for a time. */
public interface CacheRetention {
    /** The time. */
    double now();

    /** Until when what a request lets go of gives way after all else; not after now where it does not. */
    double until(int request);

    /** So many free blocks are kept from now on. */
    void held(int blocks);

    /** A block was found that would have been taken without this. */
    void saved();
}
