package dev.stagesim.sim.network.packet;

import java.util.Arrays;
import java.util.List;

/**
 * Hosts, switches and the cables between them.
 *
 * <p>Hosts are the nodes that are not switches; NPU {@code i} is node {@code i}, so hosts have the low numbers. A cable
 * makes one port on each of its ends; ports of a node are numbered from 1 in the order of {@code cables}.
 *
 * @param nodes hosts and switches
 * @param switches numbers of the switches, ascending
 * @param cables in the order that numbers the ports
 */
public record PacketTopology(int nodes, List<Integer> switches, List<Cable> cables) {
    /**
     * A full-duplex cable.
     *
     * @param a number of a node
     * @param b number of another node
     * @param rate bits per second each way, above 0
     * @param delay propagation in ns
     * @param lossRate probability that a frame is lost; 0 leaves it to the network's own rate
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

    /** Whether every host has a lower number than every switch. */
    public boolean hostsComeFirst() {
        return switches.isEmpty() || switches.get(0) == hosts();
    }

    /** Rates that occur, ascending. */
    public long[] rates() {
        long[] all = cables.stream().mapToLong(Cable::rate).toArray();
        return Arrays.stream(all).sorted().distinct().toArray();
    }
}
