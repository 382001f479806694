package dev.stagesim.sim.serving;

/** What keeps the requests that wait on a replica out of its batches. */
public enum AdmissionLimit {
    /** Nothing: none waits. */
    NONE,
    /** The maximum number of concurrent sequences is reached. */
    BATCH_CAP,
    /** The step has no tokens left. */
    TOKEN_BUDGET,
    /** The KV cache has too few free blocks. */
    KV_BLOCKS
}
