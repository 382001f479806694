package dev.stagesim.sim.serving.replica;

/** The limit that keeps the waiting requests of a replica out of its batches. */
public enum AdmissionLimit {
    /** No request waits. */
    NONE,
    /** The maximum number of concurrent sequences is reached. */
    BATCH_CAP,
    /** The step has no tokens left. */
    TOKEN_BUDGET,
    /** The KV cache has too few free blocks. */
    KV_BLOCKS
}
