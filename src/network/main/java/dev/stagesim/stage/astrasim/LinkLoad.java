package dev.stagesim.stage.astrasim;

import dev.stagesim.report.Numbers;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.network.LinkUse;
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Estimates the traffic of the links of a product of dimensions, for networks without explicit links. Messages are
 * routed dimension by dimension from the first, on rings along the shorter direction. O(hops) per message.
 */
final class LinkLoad {
    private final List<NetworkDimension> dimensions;
    private final int npus;

    /**
     * By dimension: bytes of the two links of each NPU (up and down at a switch, forward and backward on a ring or
     * mesh).
     */
    private final long[][] links;

    /** Links of fully connected dimensions, by pair. */
    private final Matrix pairs = new Matrix();

    private long messages;

    LinkLoad(List<NetworkDimension> dimensions) {
        this.dimensions = List.copyOf(dimensions);
        npus = dimensions.stream().mapToInt(NetworkDimension::npus).reduce(1, Math::multiplyExact);
        links = new long[dimensions.size()][];
        clear();
    }

    void clear() {
        for (int d = 0; d < links.length; d++) {
            boolean isFull = dimensions.get(d).topology() == Topology.FULLY_CONNECTED;
            links[d] = new long[isFull ? 0 : Math.multiplyExact(2, npus)];
        }
        pairs.clear();
        messages = 0;
    }

    void add(int source, int destination, long count, long bytes) {
        messages += count;
        int at = source;
        int stride = 1;
        for (int d = 0; d < links.length; d++) {
            int n = dimensions.get(d).npus();
            int from = source / stride % n;
            int to = destination / stride % n;
            if (from != to) {
                int next = at + (to - from) * stride;
                switch (dimensions.get(d).topology()) {
                    case FULLY_CONNECTED -> pairs.add(at, next, count, bytes);
                    case SWITCH -> {
                        links[d][2 * at] += bytes;
                        links[d][2 * next + 1] += bytes;
                    }
                    case RING, MESH -> along(d, at, from, to, stride, bytes);
                }
                at = next;
            }
            stride *= n;
        }
    }

    private void along(int d, int start, int from, int to, int stride, long bytes) {
        int n = dimensions.get(d).npus();
        boolean isRing = dimensions.get(d).topology() == Topology.RING;
        int ahead = Math.floorMod(to - from, n);
        boolean isForward = isRing ? ahead <= n - ahead : to > from;
        int step = isForward ? 1 : -1;
        int origin = start - from * stride;
        for (int place = from; place != to; place = Math.floorMod(place + step, n)) {
            links[d][2 * (origin + place * stride) + (isForward ? 0 : 1)] += bytes;
        }
    }

    /**
     * Returns a warning about the link with the highest ratio of bytes to capacity, if the ratio exceeds 1 for this
     * duration.
     */
    Optional<String> excess(long ns) {
        List<LinkUse> uses = new ArrayList<>();
        for (int d = 0; d < links.length; d++) {
            int busiest = 0;
            for (int link = 1; link < links[d].length; link++) {
                busiest = links[d][link] > links[d][busiest] ? link : busiest;
            }
            if (links[d].length > 0) {
                uses.add(use(busiest / 2, busiest / 2, d, links[d][busiest]));
            }
        }
        pairs.forEach((from, to, count, bytes) -> uses.add(use(from, to, dimension(from, to), bytes)));
        return excess(uses, ns, "network.backend=congestion_aware lets messages wait for each other");
    }

    private LinkUse use(int from, int to, int d, long bytes) {
        return new LinkUse(from, to, d, dimensions.get(d).bytesPerNs(), Math.min(messages, 1), bytes, 0, 0, 0);
    }

    private int dimension(int from, int to) {
        int stride = 1;
        int d = 0;
        while (from / stride % dimensions.get(d).npus()
                == to / stride % dimensions.get(d).npus()) {
            stride *= dimensions.get(d).npus();
            d++;
        }
        return d;
    }

    /** Like the method above, for links that the network counted. */
    static Optional<String> excess(SimulationResult result, long ns) {
        return excess(
                result.traffic().links(), ns, "times of messages are whole ns, which are too long for links this fast");
    }

    private static Optional<String> excess(List<LinkUse> uses, long ns, String hint) {
        LinkUse worst = null;
        double highest = 1;
        for (LinkUse use : uses) {
            // Times are whole ns, so a message may have had one ns less than it needs.
            double capacity = use.bandwidth() * (ns + (double) use.messages());
            if (capacity > 0 && use.bytes() > highest * capacity) {
                highest = use.bytes() / capacity;
                worst = use;
            }
        }
        if (worst == null) {
            return Optional.empty();
        }
        String which = worst.from() == worst.to()
                ? "the link of NPU " + worst.from()
                : "the link from " + worst.from() + " to " + worst.to();
        return Optional.of("links carry more than their rate allows: " + which + " in dimension " + worst.dimension()
                + " carries " + Numbers.count(worst.bytes()) + " bytes in " + Numbers.count(ns) + " ns, "
                + Numbers.fixed(highest, 2) + " times its " + Numbers.fixed(worst.bandwidth(), 1)
                + " GB/s, so that the times are too short for any such machine; " + hint);
    }
}
