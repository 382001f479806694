package dev.stagesim.sim.network.packet.topology;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Shortest paths to every host, including all equal ones, and the RTT along the first path found. */
public final class Routes {
    private final Ports ports;
    private final boolean[] isSwitch;
    private final int payload;
    private final boolean forwarding;
    /** For each port an array with this port only. */
    private final int[][] single;

    private RouteTable table;

    /** The initial table; the reference keeps its RTTs after a failure. */
    private final RouteTable first;

    private final boolean keepsRoundTrips;
    private long longestRoundTrip;
    private long largestProduct;

    /**
     * Computes paths over switches, and over hosts if {@code forwarding}.
     *
     * @param keepsRoundTrips whether RTTs and bandwidth-delay products keep their initial values when a cable fails
     */
    public Routes(PacketTopology topology, Ports ports, int payload, boolean forwarding, boolean keepsRoundTrips) {
        this.keepsRoundTrips = keepsRoundTrips;
        this.forwarding = forwarding;
        this.ports = ports;
        this.isSwitch = topology.isSwitch();
        this.payload = payload;
        single = new int[ports.count][];
        for (int port = 0; port < ports.count; port++) {
            single[port] = new int[] {port};
        }
        table = RouteSearch.run(ports, isSwitch, forwarding, payload, null);
        first = table;
        for (PathMetrics path : table.figures()) {
            longestRoundTrip = Math.max(longestRoundTrip, path.roundTrip());
            largestProduct = Math.max(largestProduct, path.product());
        }
    }

    /** Ports of {@code node} on a shortest path to a host; empty if the host is unreachable. */
    public int[] towards(int node, int host) {
        int choice = table.choice(node, host);
        return choice < RouteTable.DIRECT
                ? table.list(node, choice)
                : single[table.cable(host, choice - RouteTable.DIRECT) ^ 1];
    }

    /** True if both NPUs are hosts of this network. */
    boolean areHosts(int a, int b) {
        return Math.max(a, b) < isSwitch.length && !isSwitch[a] && !isSwitch[b];
    }

    /** RTT in ns between two hosts of an empty network: twice the delays, plus the time of one frame on each cable. */
    public long roundTrip(int source, int destination) {
        return path(keepsRoundTrips ? first : table, source, destination).roundTrip();
    }

    /** Lowest rate on the path between two hosts. */
    public long slowest(int source, int destination) {
        return path(table, source, destination).slowest();
    }

    /** Bandwidth-delay product of the path between two hosts, in bytes. */
    public long product(int source, int destination) {
        return path(keepsRoundTrips ? first : table, source, destination).product();
    }

    private static PathMetrics path(RouteTable in, int source, int destination) {
        @Nullable PathMetrics path = in.path(source, destination);
        if (path == null) {
            throw new IllegalStateException("no path joins hosts " + source + " and " + destination);
        }
        return path;
    }

    public long longestRoundTrip() {
        return longestRoundTrip;
    }

    public long largestProduct() {
        return largestProduct;
    }

    /** True if a switch has a choice among equal paths. */
    public boolean haveChoices() {
        for (int node = 0; node < isSwitch.length; node++) {
            if (isSwitch[node] && table.hasChoice(node)) {
                return true;
            }
        }
        return false;
    }

    /** Number of switches on the longest path between two of the first {@code npus} hosts. */
    public int maxSwitches(int npus) {
        int max = 0;
        for (int from = 0; from < npus; from++) {
            for (int to = 0; to < npus; to++) {
                boolean isPath = from != to && areHosts(from, to);
                int[] next = isPath ? towards(from, to) : new int[0];
                int switches = 0;
                while (next.length > 0 && ports.onSwitch[next[0] ^ 1]) {
                    switches++;
                    next = towards(ports.node[next[0] ^ 1], to);
                }
                max = Math.max(max, switches);
            }
        }
        return max;
    }

    /** Recomputes all paths over the working cables. Disconnected pairs keep their earlier metrics. */
    public void compute() {
        table = RouteSearch.run(ports, isSwitch, forwarding, payload, table);
    }

    /**
     * Breadth-first searches from one host of each class, and from a second one if the class has more. Hosts with equal
     * cables to the same neighbours form a class, because exchanging two of them changes nothing else.
     *
     * <p>A search visits switches by descending number, which fixes the order of equal choices.
     */
    private static final class RouteSearch {
        private static final long BITS_TIMES_NANOS = 8_000_000_000L;

        private final Ports ports;
        private final boolean[] isSwitch;
        private final int payload;
        private final boolean forwarding;
        private final int nodes;
        /** By node: ports used for routing, one per connected neighbour. */
        private final int[][] cables;

        private final int[] distance;
        private final long[] delay;
        private final long[] transmission;
        private final long[] rate;
        private final int[] queue;
        private final int[][] found;
        private final int[] foundCount;

        private RouteSearch(Ports ports, boolean[] isSwitch, boolean forwarding, int payload) {
            this.forwarding = forwarding;
            this.ports = ports;
            this.isSwitch = isSwitch;
            this.payload = payload;
            nodes = isSwitch.length;
            cables = new int[nodes][];
            distance = new int[nodes];
            delay = new long[nodes];
            transmission = new long[nodes];
            rate = new long[nodes];
            queue = new int[nodes];
            found = new int[nodes][];
            foundCount = new int[nodes];
            for (int node = 0; node < nodes; node++) {
                cables[node] = cablesOf(node);
                found[node] = new int[cables[node].length];
            }
        }

        /** Computes all paths over the working cables; {@code before} provides the metrics of disconnected pairs. */
        static RouteTable run(
                Ports ports, boolean[] isSwitch, boolean forwarding, int payload, @Nullable RouteTable before) {
            return new RouteSearch(ports, isSwitch, forwarding, payload).table(before);
        }

        /**
         * Ports of a node used for routing, by descending neighbour. Of several ports to one neighbour, the last is
         * used.
         */
        private int[] cablesOf(int node) {
            Map<Integer, Integer> last = new LinkedHashMap<>();
            for (int port : ports.ofNode[node]) {
                if (ports.up[port]) {
                    last.put(ports.node[port ^ 1], port);
                }
            }
            return last.values().stream()
                    .sorted((a, b) -> Integer.compare(ports.node[b ^ 1], ports.node[a ^ 1]))
                    .mapToInt(port -> port)
                    .toArray();
        }

        private RouteTable table(@Nullable RouteTable before) {
            int[] classOf = new int[nodes];
            List<int[]> members = new ArrayList<>();
            Map<List<Long>, Integer> known = new LinkedHashMap<>();
            for (int host = 0; host < nodes; host++) {
                if (isSwitch[host]) {
                    continue;
                }
                int number = known.computeIfAbsent(signature(host), key -> known.size());
                classOf[host] = number;
                if (number == members.size()) {
                    members.add(new int[] {host, host});
                } else if (members.get(number)[1] == members.get(number)[0]) {
                    members.get(number)[1] = host;
                }
            }
            RouteTable table = new RouteTable(nodes, classOf, members.size(), cables, before);
            for (int number = 0; number < members.size(); number++) {
                int first = members.get(number)[0];
                int second = members.get(number)[1];
                from(first);
                for (int node = 0; node < nodes; node++) {
                    keep(table, node, number, first);
                }
                if (second != first) {
                    from(second);
                    keep(table, first, number, second);
                }
            }
            return table;
        }

        /** Neighbours, rates and delays of a host's cables; its number if it has none. */
        private List<Long> signature(int host) {
            List<Long> signature = new ArrayList<>();
            for (int port : cables[host]) {
                signature.add((long) ports.node[port ^ 1]);
                signature.add(ports.rate[port]);
                signature.add(ports.delay[port]);
            }
            return signature.isEmpty() ? List.of((long) host) : signature;
        }

        private void from(int host) {
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
                for (int port : cables[node]) {
                    int next = ports.node[port ^ 1];
                    if (distance[next] == Integer.MAX_VALUE) {
                        reach(next, node, port);
                        if (isSwitch[next] || forwarding) {
                            queue[end++] = next;
                        }
                    }
                    if (distance[next] == distance[node] + 1) {
                        found[next][foundCount[next]++] = port ^ 1;
                    }
                }
            }
        }

        private void reach(int next, int node, int port) {
            distance[next] = distance[node] + 1;
            delay[next] = delay[node] + ports.delay[port];
            transmission[next] = transmission[node] + payload * BITS_TIMES_NANOS / ports.rate[port];
            rate[next] = Math.min(rate[node], ports.rate[port]);
        }

        /** Stores the result of a search at a node, for all hosts of the class. */
        private void keep(RouteTable table, int node, int ofClass, int host) {
            if (node == host || distance[node] == Integer.MAX_VALUE) {
                return;
            }
            if (distance[node] == 1) {
                int number = 0;
                while (ports.node[cables[host][number] ^ 1] != node) {
                    number++;
                }
                table.chooseCable(node, ofClass, number);
            } else {
                table.choose(node, ofClass, found[node], foundCount[node]);
            }
            if (!isSwitch[node]) {
                table.setPath(node, ofClass, 2 * delay[node] + transmission[node], rate[node]);
            }
        }
    }

    /**
     * Next hops of every node towards every host, and metrics of the paths.
     *
     * <p>Hosts with equal cables to the same neighbours share a class. Memory: two bytes per pair of node and class,
     * four bytes per pair of classes, and the distinct port lists of each node.
     */
    private static final class RouteTable {
        /** Choice {@code DIRECT + k} is the k-th cable of the host. */
        static final int DIRECT = 1 << 15;

        private static final long MAX_ENTRIES = 1 << 30;

        private final int classes;
        private final int[] classOf;
        /** By host: ports used for routing. */
        private final int[][] cables;
        /** By node and class: index of a port list of the node, or a cable of the host. */
        private final char[] choices;

        private final int[][][] lists;
        private final @Nullable PathMetrics[] paths;
        private final Map<PathMetrics, PathMetrics> distinct = new LinkedHashMap<>();
        private final @Nullable RouteTable before;

        /**
         * @param classOf by node; meaningless for switches
         * @param cables ports of each node used for routing
         * @param before table for pairs without a path, or null
         */
        RouteTable(int nodes, int[] classOf, int classes, int[][] cables, @Nullable RouteTable before) {
            this.classes = classes;
            this.classOf = classOf;
            this.cables = cables;
            this.before = before;
            if (Math.max((long) nodes, classes) * classes > MAX_ENTRIES) {
                throw StageException.input(Problem.of(
                                "topology error",
                                "network.packet",
                                nodes + " nodes with " + classes
                                        + " kinds of hosts need a routing table of more than 2^30 entries")
                        .hint("fewer nodes; in a star, a leaf-spine or a fat tree the hosts of a switch are of one"
                                + " kind, in a torus each host is its own kind"));
            }
            choices = new char[nodes * classes];
            lists = new int[nodes][1][0];
            paths = new PathMetrics[classes * classes];
        }

        int choice(int node, int host) {
            return choices[node * classes + classOf[host]];
        }

        int[] list(int node, int choice) {
            return lists[node][choice];
        }

        /** True if a node has a list of several ports. */
        boolean hasChoice(int node) {
            for (int[] list : lists[node]) {
                if (list.length > 1) {
                    return true;
                }
            }
            return false;
        }

        int cable(int host, int number) {
            return cables[host][number];
        }

        /** Metrics of the path between two hosts; the earlier ones if they are disconnected now. */
        @Nullable
        PathMetrics path(int source, int destination) {
            PathMetrics path = paths[classOf[source] * classes + classOf[destination]];
            return path != null || before == null ? path : before.path(source, destination);
        }

        /** All distinct metrics. */
        Collection<PathMetrics> figures() {
            return distinct.keySet();
        }

        /** Sets the port list of a node for a class to the first {@code count} elements of {@code found}. */
        void choose(int node, int ofClass, int[] found, int count) {
            int[][] known = lists[node];
            for (int i = 0; i < known.length; i++) {
                if (Arrays.equals(known[i], 0, known[i].length, found, 0, count)) {
                    choices[node * classes + ofClass] = (char) i;
                    return;
                }
            }
            if (known.length == DIRECT) {
                throw new IllegalStateException("node " + node + " has more than " + DIRECT + " lists of equal paths");
            }
            int[][] more = Arrays.copyOf(known, known.length + 1);
            more[known.length] = Arrays.copyOf(found, count);
            lists[node] = more;
            choices[node * classes + ofClass] = (char) known.length;
        }

        /** Sets the choice of a neighbouring node: the cable number {@code number} of each host of the class. */
        void chooseCable(int node, int ofClass, int number) {
            choices[node * classes + ofClass] = (char) (DIRECT + number);
        }

        void setPath(int source, int ofClass, long roundTrip, long slowest) {
            PathMetrics path = PathMetrics.of(roundTrip, slowest);
            PathMetrics kept = distinct.putIfAbsent(path, path);
            paths[classOf[source] * classes + ofClass] = kept == null ? path : kept;
        }
    }
}
