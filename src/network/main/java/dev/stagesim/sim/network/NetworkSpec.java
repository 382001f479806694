package dev.stagesim.sim.network;

import java.util.List;

/**
 * An analytical network. NPU {@code a0 + a1*n0 + a2*n0*n1 + ...} has coordinate {@code a_d} in dimension {@code d}.
 *
 * @param dimensions dimension 0 varies fastest; at least one
 * @param contention whether messages share links
 * @param wholePath whether the time of a message without contention covers all dimensions that its route crosses; the
 *     reference counts only the lowest
 */
public record NetworkSpec(List<NetworkDimension> dimensions, Contention contention, boolean wholePath) {
    /** A network with the message times of the reference. */
    public NetworkSpec(List<NetworkDimension> dimensions, Contention contention) {
        this(dimensions, contention, false);
    }

    /** Whether messages share links. */
    public enum Contention {
        /** Messages never delay each other. */
        UNAWARE,
        /** Links transmit one message at a time, store-and-forward, as in the reference. */
        AWARE,
        /**
         * Links transmit one message at a time, cut-through: a device forwards the head of a message while the tail
         * still arrives.
         */
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
        for (NetworkDimension dimension : dimensions) {
            product = Math.multiplyExact(product, dimension.npus());
        }
        return product;
    }
}
