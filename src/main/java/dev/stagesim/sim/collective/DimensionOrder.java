package dev.stagesim.sim.collective;

import java.util.List;

/**
 * In which order the chunks of a collective go through the dimensions.
 *
 * <p>An all-gather goes through its order backwards. All-to-alls always ascend.
 *
 * @param kind how the order is found
 * @param bytesPerNs bandwidth of each dimension's links, for {@link Kind#THEMIS}; otherwise empty
 */
public record DimensionOrder(Kind kind, List<Double> bytesPerNs) {
    /** Ways to find the order of a chunk. */
    public enum Kind {
        /** Dimension 0 first. */
        ASCENDING,
        /** Each chunk starts one dimension further than the one before and goes round. */
        ROUND_ROBIN,
        /**
         * The dimension with the least work so far first, where a chunk is largest; its work is what each phase sends
         * over the dimension's bandwidth (Themis, Rashidi et al., ISCA 2022).
         */
        THEMIS
    }

    /** Dimension 0 first, as in the reference. */
    public static final DimensionOrder ASCENDING = new DimensionOrder(Kind.ASCENDING, List.of());

    public DimensionOrder {
        bytesPerNs = List.copyOf(bytesPerNs);
    }
}
