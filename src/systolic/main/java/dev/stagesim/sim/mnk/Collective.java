package dev.stagesim.sim.mnk;

/**
 * An exchange among processors.
 *
 * @param bytes size per processor
 */
record Collective(String type, long bytes) {
    static final Collective NONE = new Collective("NONE", 0);
}
