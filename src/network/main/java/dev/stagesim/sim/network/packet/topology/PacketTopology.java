package dev.stagesim.sim.network.packet.topology;

import java.util.Arrays;
import java.util.List;

/**
 * Hosts, switches and the cables between them.
 *
 * <p>Hosts are the nodes that are not switches. NPU {@code i} is node {@code i}, so hosts have the low numbers. A cable
 * has one port at each end; the ports of a node are numbered from 1 in the order of {@code cables}.
 *
 * @param nodes hosts and switches
 * @param switches numbers of the switches, ascending
 * @param cables in the order that numbers the ports
 */
public record PacketTopology(int nodes, List<Integer> switches, List<Cable> cables) {
    private static final int MAX_SOURCES = 16;

    /**
     * A full-duplex cable.
     *
     * @param a number of a node
     * @param b number of another node
     * @param rate bits per second in each direction, above 0
     * @param delay propagation delay in ns
     * @param lossRate probability that a frame is lost; 0 selects the network's rate
     */
    public record Cable(int a, int b, long rate, long delay, double lossRate) {
        public Cable {
            if (rate <= 0) {
                throw new IllegalArgumentException("a rate must be above 0, not " + rate);
            }
            if (delay < 0) {
                throw new IllegalArgumentException("a delay must not be negative, not " + delay);
            }
        }
    }

    public PacketTopology {
        switches = switches.stream().sorted().distinct().toList();
        cables = List.copyOf(cables);
        for (int number : switches) {
            inRange(number, nodes);
        }
        for (Cable cable : cables) {
            inRange(cable.a(), nodes);
            inRange(cable.b(), nodes);
            if (cable.a() == cable.b()) {
                throw new IllegalArgumentException("a cable joins node " + cable.a() + " to itself");
            }
        }
    }

    private static void inRange(int node, int nodes) {
        if (node < 0 || node >= nodes) {
            throw new IllegalArgumentException("there is no node " + node + " among " + nodes);
        }
    }

    /** Which nodes are switches. */
    public boolean[] isSwitch() {
        boolean[] which = new boolean[nodes];
        for (int number : switches) {
            which[number] = true;
        }
        return which;
    }

    /** Number of hosts. */
    public int hosts() {
        return nodes - switches.size();
    }

    /** Distinct rates, ascending. */
    public long[] rates() {
        long[] all = cables.stream().mapToLong(Cable::rate).toArray();
        return Arrays.stream(all).sorted().distinct().toArray();
    }

    /** Mean number of cables between two connected hosts, from the first few hosts. */
    public double meanDistance() {
        int[] begin = new int[nodes + 1];
        cables.forEach(cable -> {
            begin[cable.a() + 1]++;
            begin[cable.b() + 1]++;
        });
        for (int node = 0; node < nodes; node++) {
            begin[node + 1] += begin[node];
        }
        int[] neighbours = new int[begin[nodes]];
        int[] filled = begin.clone();
        cables.forEach(cable -> {
            neighbours[filled[cable.a()]++] = cable.b();
            neighbours[filled[cable.b()]++] = cable.a();
        });
        boolean[] isSwitch = isSwitch();
        double sum = 0;
        long pairs = 0;
        int sources = 0;
        for (int from = 0; from < nodes && sources < MAX_SOURCES; from++) {
            if (!isSwitch[from]) {
                sources++;
                int[] distance = distances(from, begin, neighbours);
                for (int to = 0; to < nodes; to++) {
                    if (to != from && !isSwitch[to] && distance[to] > 0) {
                        sum += distance[to];
                        pairs++;
                    }
                }
            }
        }
        return pairs == 0 ? 1 : sum / pairs;
    }

    private int[] distances(int from, int[] begin, int[] neighbours) {
        int[] distance = new int[nodes];
        int[] queue = new int[nodes];
        int end = 1;
        queue[0] = from;
        for (int at = 0; at < end; at++) {
            int node = queue[at];
            for (int i = begin[node]; i < begin[node + 1]; i++) {
                int next = neighbours[i];
                if (next != from && distance[next] == 0) {
                    distance[next] = distance[node] + 1;
                    queue[end++] = next;
                }
            }
        }
        return distance;
    }
}
