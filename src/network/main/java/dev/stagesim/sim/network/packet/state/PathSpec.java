package dev.stagesim.sim.network.packet.state;

import java.util.List;

/**
 * Selection among equal-cost paths.
 *
 * @param hashSeed added to the number of the choosing node; 0 as in network cards
 * @param spray whether each data frame, instead of each flow, is hashed
 * @param forwarding whether hosts forward frames for other hosts, queued with their acknowledgements
 * @param routes explicit paths of data between pairs of hosts, node by node from source to destination
 */
public record PathSpec(int hashSeed, boolean spray, boolean forwarding, List<List<Integer>> routes) {
    /** Selects the path of a flow by its hash, as in the reference. */
    public static final PathSpec BY_FLOW = new PathSpec(0, false, false, List.of());

    public PathSpec {
        routes = routes.stream().map(List::copyOf).toList();
    }
}
