package dev.stagesim.sim.network.packet;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Shortest paths to every host, all of them where several are equal, and the round trips along the first found.
 *
 * <p>A search from each host visits switches in descending number, which decides the order of the choices. Tables take
 * four bytes for each pair of a node and a host; equal lists of choices are kept once.
 */
final class Routes {
    private static final long BITS_TIMES_NANOS = 8_000_000_000L;

    private final Ports ports;
    private final boolean[] isSwitch;
    private final int hosts;
    private final int payload;

    /** List of choices of (node, host). */
    private final int[][] choices;

    private int[][] lists = {};
    private final long[][] roundTrip;
    private final long[][] slowest;
    private long longestRoundTrip;
    private long largestProduct;

    Routes(PacketTopology topology, Ports ports, int payload) {
        this.ports = ports;
        this.isSwitch = topology.isSwitch();
        this.hosts = topology.hosts();
        this.payload = payload;
        choices = new int[topology.nodes()][hosts];
        roundTrip = new long[hosts][hosts];
        slowest = new long[hosts][hosts];
        compute();
        summarise();
    }

    /** Ports of {@code node} that lie on a shortest path to a host; none when it cannot be reached. */
    int[] towards(int node, int host) {
        return lists[choices[node][host]];
    }

    /** Round trip in ns of an empty network between two hosts: twice the delays, and one frame's time on each cable. */
    long roundTrip(int source, int destination) {
        return roundTrip[source][destination];
    }

    /** Smallest rate on the path between two hosts. */
    long slowest(int source, int destination) {
        return slowest[source][destination];
    }

    /** Bytes that fill the path between two hosts for one round trip. */
    long product(int source, int destination) {
        return roundTrip[source][destination] * slowest[source][destination] / 1_000_000_000L / 8;
    }

    long longestRoundTrip() {
        return longestRoundTrip;
    }

    long largestProduct() {
        return largestProduct;
    }

    /** Finds all paths again, over the cables that are up. */
    void compute() {
        Map<IntList, Integer> known = new LinkedHashMap<>();
        Search search = new Search();
        for (int host = 0; host < hosts; host++) {
            search.from(host);
            for (int node = 0; node < choices.length; node++) {
                IntList list = new IntList(search.choices(node));
                choices[node][host] = known.computeIfAbsent(list, key -> known.size());
            }
        }
        lists = known.keySet().stream().map(IntList::values).toArray(int[][]::new);
    }

    private void summarise() {
        for (int i = 0; i < hosts; i++) {
            for (int j = 0; j < hosts; j++) {
                if (i != j && towards(i, j).length > 0) {
                    longestRoundTrip = Math.max(longestRoundTrip, roundTrip[i][j]);
                    largestProduct = Math.max(largestProduct, product(i, j));
                }
            }
        }
    }

    /** An array of ints compared by its contents. */
    private record IntList(int[] values) {
        @Override
        public boolean equals(Object other) {
            return other instanceof IntList list && Arrays.equals(values, list.values);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(values);
        }
    }

    /** A breadth-first search over switches. */
    private final class Search {
        private final int nodes = choices.length;
        private final int[][] neighbours = new int[nodes][];
        private final int[] distance = new int[nodes];
        private final long[] delay = new long[nodes];
        private final long[] transmission = new long[nodes];
        private final long[] rate = new long[nodes];
        private final int[] queue = new int[nodes];
        private final int[][] found = new int[nodes][];
        private final int[] foundCount = new int[nodes];

        Search() {
            for (int node = 0; node < nodes; node++) {
                neighbours[node] = neighbours(node);
                found[node] = new int[neighbours[node].length];
            }
        }

        /** Ports of a node that routing uses, one per neighbour that is up, the last when there are several. */
        private int[] neighbours(int node) {
            int[] all = ports.ofNode[node];
            int[] last = Arrays.stream(all)
                    .filter(port -> ports.up[port] && isLast(all, port))
                    .toArray();
            return Arrays.stream(last)
                    .boxed()
                    .sorted((a, b) -> Integer.compare(ports.node[b ^ 1], ports.node[a ^ 1]))
                    .mapToInt(port -> port)
                    .toArray();
        }

        private boolean isLast(int[] all, int port) {
            return Arrays.stream(all).noneMatch(other -> other > port && ports.node[other ^ 1] == ports.node[port ^ 1]);
        }

        void from(int host) {
            Arrays.fill(distance, Integer.MAX_VALUE);
            Arrays.fill(foundCount, 0);
            distance[host] = 0;
            delay[host] = 0;
            transmission[host] = 0;
            rate[host] = Long.MAX_VALUE;
            queue[0] = host;
            int end = 1;
            for (int head = 0; head < end; head++) {
                int node = queue[head];
                for (int port : neighbours[node]) {
                    int next = ports.node[port ^ 1];
                    if (distance[next] == Integer.MAX_VALUE) {
                        reach(next, node, port, host);
                        if (isSwitch[next]) {
                            queue[end++] = next;
                        }
                    }
                    if (distance[next] == distance[node] + 1) {
                        found[next][foundCount[next]++] = port ^ 1;
                    }
                }
            }
        }

        private void reach(int next, int node, int port, int host) {
            distance[next] = distance[node] + 1;
            delay[next] = delay[node] + ports.delay[port];
            transmission[next] = transmission[node] + payload * BITS_TIMES_NANOS / ports.rate[port];
            rate[next] = Math.min(rate[node], ports.rate[port]);
            if (!isSwitch[next]) {
                roundTrip[next][host] = 2 * delay[next] + transmission[next];
                slowest[next][host] = rate[next];
            }
        }

        int[] choices(int node) {
            return Arrays.copyOf(found[node], foundCount[node]);
        }
    }
}
