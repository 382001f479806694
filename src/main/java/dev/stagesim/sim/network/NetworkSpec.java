package dev.stagesim.sim.network;

import java.util.List;

/**
 * An analytical network: NPU {@code a0 + a1*n0 + a2*n0*n1 + ...} has coordinate {@code a_d} in dimension {@code d}.
 *
 * @param dimensions dimension 0 varies fastest; at least one
 * @param contention whether messages wait for each other
 * @param wholePath whether a message that never waits is priced over all dimensions in which its ends differ; the
 *     reference counts the lowest alone
 */
public record NetworkSpec(List<Dimension> dimensions, Contention contention, boolean wholePath) {
    /** A network that prices messages as the reference does. */
    public NetworkSpec(List<Dimension> dimensions, Contention contention) {
        this(dimensions, contention, false);
    }

    /** Whether messages share links. */
    public enum Contention {
        /** Messages never delay each other. */
        UNAWARE,
        /** Links transmit one message at a time, whole, hop by hop, as in the reference. */
        AWARE,
        /** Links transmit one message at a time, and what has come in goes on while the rest is still coming. */
        SHARED
    }

    public NetworkSpec {
        dimensions = List.copyOf(dimensions);
        if (dimensions.isEmpty()) {
            throw new IllegalArgumentException("a network has at least one dimension");
        }
    }

    /**
     * Product of the dimensions' sizes.
     *
     * @throws ArithmeticException when it exceeds 31 bits
     */
    public int npus() {
        int product = 1;
        for (Dimension dimension : dimensions) {
            product = Math.multiplyExact(product, dimension.npus());
        }
        return product;
    }
}
