package dev.stagesim.sim.network;

import java.util.List;

/**
 * A network given by its links and its routing.
 *
 * @param dimensions NPUs along each logical dimension of the collectives, the fastest-varying first; the product is the
 *     number of NPUs
 */
public record Fabric(LinkGraph graph, LinkRouter router, List<Integer> dimensions) {
    public Fabric {
        dimensions = List.copyOf(dimensions);
        long product = dimensions.stream().mapToLong(Integer::longValue).reduce(1, Math::multiplyExact);
        if (product != graph.npus()) {
            throw new IllegalArgumentException("dimensions " + dimensions + " of " + graph.npus() + " NPUs");
        }
    }
}
