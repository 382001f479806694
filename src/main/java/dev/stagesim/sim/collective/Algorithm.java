package dev.stagesim.sim.collective;

/**
 * How a collective runs along one dimension.
 *
 * @param family the procedure
 * @param window messages in flight of {@link Family#DIRECT}; 0 means all but one of the NPUs
 * @param flat whether one ring of all NPUs replaces the dimensions ({@code oneRing} and its kin)
 */
public record Algorithm(Family family, int window, boolean flat) {
    /** The procedures. */
    public enum Family {
        RING,
        DIRECT,
        HALVING_DOUBLING,
        DOUBLE_BINARY_TREE
    }

    /** An algorithm without window on its own dimension. */
    public static Algorithm of(Family family) {
        return new Algorithm(family, 0, false);
    }
}
