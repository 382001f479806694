package dev.stagesim.sim.mnk;

/**
 * An exchange among processors.
 *
 * @param type its name in the workload
 * @param bytes size per processor
 */
public record Collective(String type, long bytes) {
    /** No exchange. */
    public static final Collective NONE = new Collective("NONE", 0);
}
