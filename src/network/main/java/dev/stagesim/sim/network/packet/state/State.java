package dev.stagesim.sim.network.packet.state;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.network.packet.event.EventHeap;
import dev.stagesim.sim.network.packet.event.NearEvents;
import dev.stagesim.sim.network.packet.random.CRandom;
import dev.stagesim.sim.network.packet.random.Mrg32k3a;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.sim.network.packet.topology.Ports;
import dev.stagesim.sim.network.packet.topology.Routes;
import java.util.List;

/** Shared state of a running network: the clock, the pending events and the tables. */
public final class State {
    /** Low bits of an event's action, which index its object; the kind is in the bits above. */
    public static final int INDEX_BITS = 22;

    public static final int INDEX = (1 << INDEX_BITS) - 1;

    public static final int ARRIVE = 0;
    public static final int FREE = 1 << INDEX_BITS;
    public static final int WAKE = 2 << INDEX_BITS;
    public static final int CLIENT = 3 << INDEX_BITS;
    public static final int INITIALISE = 4 << INDEX_BITS;
    public static final int START = 5 << INDEX_BITS;
    /** First timer of the congestion control, followed by all further ones. */
    public static final int TIMER = 6 << INDEX_BITS;

    public static final int LAST_TIMER = TIMER + ((RateControl.TIMERS - 1) << INDEX_BITS);
    public static final int MONITOR = 9 << INDEX_BITS;
    public static final int LINK_DOWN = 10 << INDEX_BITS;
    public static final int STALL_END = 11 << INDEX_BITS;
    public static final int STALL_READY = 12 << INDEX_BITS;
    public static final int RETRANSMIT = 13 << INDEX_BITS;
    public static final int TRAIN_DONE = 14 << INDEX_BITS;
    public static final int LAST_LEG = 15 << INDEX_BITS;

    /** Upper bound of the headers of a frame in bytes. */
    private static final int MAX_HEADERS = 80;

    public final PacketSpec spec;
    /** Pending events, except the events in {@link #near}. */
    public final EventHeap heap = new EventHeap();
    /** Near events: node p frees port p, and node {@code ports.count + f} is the arrival of frame f. */
    public final NearEvents near;

    /** Longest time from the start of a frame on a cable to its arrival, in ns. */
    public final long longestLeg;

    public final Packets packets;
    public final Ports ports;
    public final Flows flows = new Flows();
    public final Routes routes;
    public final PathChoice choice;
    public final FrameSizes sizes;
    public final Mrg32k3a.Sequence random;
    public final PacketListener listener;
    public final Counters counters = new Counters();
    /** The C library's generator, shared by the whole run. */
    public final CRandom libraryRandom = new CRandom();

    /** True if uncontended flows use the fast path. */
    public boolean fastPath = true;

    /** Recording of queue lengths, and its start time. */
    public QueueHistory track = new QueueHistory();

    public long trackStart;
    public boolean isTracked;

    /** True while an event other than a frame event is handled. */
    public boolean isHandling;

    public long now;
    /** Stamp of the current event. */
    public long stamp = -1;

    public State(PacketSpec spec, PacketListener listener) {
        this.spec = spec;
        this.listener = listener;
        packets = new Packets(spec.congestion());
        ports = new Ports(spec.topology());
        longestLeg = ports.longestLeg(spec.transport().payload() + MAX_HEADERS);
        near = new NearEvents(longestLeg + 1);
        routes = new Routes(
                spec.topology(), ports, spec.transport().payload(), spec.paths().forwarding(), spec.asReference());
        choice = new PathChoice(this);
        sizes = new FrameSizes(spec.congestion());
        random = new Mrg32k3a.Sequence(streamsOfSetUp(spec.topology()));
    }

    /** The error of a run with more objects in flight than events can index. */
    public static StageException tooMany(String what) {
        return StageException.input(Problem.of(
                        "simulation error",
                        "network.packet",
                        "more than " + INDEX + " " + what + " are under way at once")
                .hint("fewer NPUs, chunks or active chunks; a ring instead of a direct exchange has fewer messages"));
    }

    /** Random streams that nodes and cables use before the first frame. */
    private static long streamsOfSetUp(PacketTopology topology) {
        long own =
                topology.cables().stream().filter(cable -> cable.lossRate() > 0).count();
        return 9L * topology.nodes() + 2 + 2 * own;
    }

    /** IPv4 address of a host, as in path hashes and files. */
    public static int address(int host) {
        return 0x0b000001 + (host / 256) * 0x10000 + (host % 256) * 0x100;
    }

    /** Counters of a run. */
    public static final class Counters {
        /** Events skipped because they would have no effect. */
        public long skippedEvents;

        /** Flows that have started and not completed. */
        public int openFlows;

        /** Open flows that are simulated as trains. */
        public int trains;

        public long dropped;
        public long lost;
        public long marked;
        public long pauses;
        public long retransmissions;
        /** Pending events of self-repeating timers. */
        public int periodic;
    }

    /** Chooses the port of a frame at a node: on a shortest path, or by an explicit route. */
    public static final class PathChoice {
        private static final int HOST_SEED = 0x8badf00d;
        /** Odd, so that the frames of a flow have distinct seeds. */
        private static final int PER_FRAME = 0x9e3779b1;

        private final Flows flows;
        private final Routes routes;
        private final FixedRoutes fixed;
        private final boolean isFixed;
        private final boolean spray;
        private final int hashSeed;
        private final int payload;

        PathChoice(State state) {
            flows = state.flows;
            routes = state.routes;
            PathSpec spec = state.spec.paths();
            fixed = new FixedRoutes(spec.routes(), state.ports);
            isFixed = !fixed.isEmpty();
            spray = spec.spray();
            hashSeed = spec.hashSeed();
            payload = state.spec.transport().payload();
        }

        /** Port of a flow's data, or of its acknowledgements, at their host; none if disconnected. */
        public int fromHost(int flow, boolean isData) {
            return fromHost(isData ? flows.source[flow] : flows.destination[flow], flow, isData);
        }

        /** Port of a frame at a host, which may be a forwarding host. */
        public int fromHost(int host, int flow, boolean isData) {
            return choose(host, flow, isData, HOST_SEED);
        }

        /** Port of a frame at a switch; none if disconnected. */
        public int fromSwitch(int node, int flow, boolean isData, long sequence) {
            int seed = node + hashSeed;
            return choose(node, flow, isData, spray && isData ? seed + (int) (sequence / payload) * PER_FRAME : seed);
        }

        private int choose(int node, int flow, boolean isData, int seed) {
            int source = flows.source[flow];
            int destination = flows.destination[flow];
            if (isFixed && isData) {
                int port = fixed.port(source, destination, node);
                if (port != Ports.NONE) {
                    return port;
                }
            }
            int[] choices = routes.towards(node, isData ? destination : source);
            if (choices.length <= 1) {
                return choices.length == 0 ? Ports.NONE : choices[0];
            }
            return choices[Integer.remainderUnsigned(flows.pathHash(flow, isData, seed), choices.length)];
        }
    }

    /** Explicit routes between pairs of hosts. */
    private static final class FixedRoutes {
        private static final int NONE = -1;

        private final Ports ports;
        /** By route: its nodes except the last, and the egress port at each. */
        private final int[][] nodes;

        private final int[][] outs;
        private final int[] destinations;

        FixedRoutes(List<List<Integer>> routes, Ports ports) {
            this.ports = ports;
            nodes = new int[routes.size()][];
            outs = new int[routes.size()][];
            destinations = new int[routes.size()];
            for (int i = 0; i < nodes.length; i++) {
                List<Integer> route = routes.get(i);
                int hops = route.size() - 1;
                nodes[i] = new int[hops];
                outs[i] = new int[hops];
                destinations[i] = route.get(hops);
                for (int hop = 0; hop < hops; hop++) {
                    nodes[i][hop] = route.get(hop);
                    outs[i][hop] = cable(ports, route.get(hop), route.get(hop + 1));
                }
            }
        }

        private static int cable(Ports ports, int from, int to) {
            for (int port : ports.ofNode[from]) {
                if (ports.node[port ^ 1] == to) {
                    return port;
                }
            }
            throw new IllegalArgumentException("no cable joins nodes " + from + " and " + to);
        }

        boolean isEmpty() {
            return nodes.length == 0;
        }

        /** Egress port at a node for data between two hosts; none without a route, or if its cable is down. */
        int port(int source, int destination, int node) {
            for (int i = 0; i < nodes.length; i++) {
                if (nodes[i][0] != source || destinations[i] != destination) {
                    continue;
                }
                for (int hop = 0; hop < nodes[i].length; hop++) {
                    if (nodes[i][hop] == node && ports.up[outs[i][hop]]) {
                        return outs[i][hop];
                    }
                }
            }
            return NONE;
        }
    }
}
