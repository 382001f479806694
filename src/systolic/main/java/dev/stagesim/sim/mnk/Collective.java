package dev.stagesim.sim.mnk;

/**
 * An exchange among processors.
 *
 * @param bytes size per processor
 */
public record Collective(String type, long bytes) {
    public static final Collective NONE = new Collective("NONE", 0);
}
