package dev.stagesim.sim.systolic;

/** Where the bandwidth of the memory interface comes from. */
public enum MemoryMode {
    /** The bandwidth that the array needs is calculated; the array never waits. */
    CALC,
    /** The bandwidth is given; the array waits for data. */
    USER
}
