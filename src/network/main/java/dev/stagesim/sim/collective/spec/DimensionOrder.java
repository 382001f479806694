package dev.stagesim.sim.collective.spec;

import java.util.List;

/**
 * Order of the dimensions for the chunks of a collective.
 *
 * <p>An all-gather uses the reversed order. All-to-alls always ascend.
 *
 * @param kind rule for the order
 * @param bytesPerNs bandwidth of each dimension's links, for {@link Kind#THEMIS}; otherwise empty
 */
public record DimensionOrder(Kind kind, List<Double> bytesPerNs) {
    /** Rules for the order of a chunk. */
    public enum Kind {
        /** Dimension 0 first. */
        ASCENDING,
        /** Each chunk starts one dimension after its predecessor, cyclically. */
        ROUND_ROBIN,
        /**
         * The least loaded dimension first, since a chunk is largest in its first phase. The load of a dimension is the
         * sum of bytes / bandwidth of its phases so far (Themis, Rashidi et al., ISCA 2022).
         */
        THEMIS
    }

    /** Dimension 0 first, as in the reference. */
    public static final DimensionOrder ASCENDING = new DimensionOrder(Kind.ASCENDING, List.of());

    public DimensionOrder {
        bytesPerNs = List.copyOf(bytesPerNs);
    }
}
