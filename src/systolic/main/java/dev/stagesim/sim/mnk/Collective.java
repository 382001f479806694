package dev.stagesim.sim.mnk;

/**
 * A collective operation among the processors after a pass of a layer.
 *
 * @param type name in the workload file
 * @param bytes size per processor
 */
record Collective(String type, long bytes) {
    static final Collective NONE = new Collective("NONE", 0);
}
