package dev.stagesim.sim.systolic.spec;

/** Source of the memory interface bandwidth. */
public enum MemoryMode {
    /** The required bandwidth is calculated; the array never stalls. */
    CALC,
    /** The bandwidth is configured; the array stalls until data arrives. */
    USER
}
