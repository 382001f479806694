package dev.stagesim.sim.network.packet;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.network.LinkUse;
import dev.stagesim.sim.network.Matcher;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.NetworkClient;
import dev.stagesim.sim.network.Unmatched;
import dev.stagesim.sim.network.UnstartedClient;
import dev.stagesim.sim.network.packet.event.EventHeap;
import dev.stagesim.sim.network.packet.event.NearEvents;
import dev.stagesim.sim.network.packet.fastpath.FlowFastPath;
import dev.stagesim.sim.network.packet.fastpath.PacketTrain;
import dev.stagesim.sim.network.packet.host.HostSide;
import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.Flows;
import dev.stagesim.sim.network.packet.state.PacketListener;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.Packets;
import dev.stagesim.sim.network.packet.state.RateControl;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import dev.stagesim.sim.network.packet.switching.FrameTracer;
import dev.stagesim.sim.network.packet.switching.SwitchSide;
import dev.stagesim.sim.network.packet.switching.Wire;
import dev.stagesim.sim.network.packet.topology.PairMeans;
import dev.stagesim.sim.network.packet.topology.PortUse;
import dev.stagesim.sim.network.packet.topology.Ports;
import dev.stagesim.sim.network.packet.topology.Routes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A packet-level network and its clock.
 *
 * <p>Each message is one flow. Sender and receiver are notified when the last acknowledgement reaches the sender. An
 * event costs a few tens of ns; the run time is proportional to frames times hops, independent of contention. Not
 * thread-safe; one object simulates one run.
 */
public final class PacketNetwork implements Network {
    private static final double BITS_PER_BYTE_NS = 8e9;
    private static final long BITS_TIMES_NANOS = 8_000_000_000L;
    private static final int STATED_HEADERS = 48;
    private static final long NANOS = 1_000_000_000L;
    private static final int FIRST_SOURCE_PORT = 10000;
    private static final int PORT_MASK = 0xffff;
    private static final long LOW = 0xffffffffL;

    private final State state;
    private final EventHeap heap;
    private final NearEvents near;
    private final Packets packets;
    private final Ports ports;
    private final Flows flows;
    private final Wire wire;
    private final FlowQueues queues;
    private final RateControl control;
    private final FlowFastPath fastPath;
    private final HostSide hosts;
    private final SwitchSide switches;
    private final FrameLoss losses;
    private final PeriodicTasks periodicTasks;
    private final IdealTimes ideals;
    private final EventSlots clientEvents = new EventSlots();
    private final Matcher matcher = new Matcher();
    private final ByteMatcher byteMatcher = new ByteMatcher();
    private final Messages messages = new Messages();
    private final char[][] flowsOfPair;
    private final boolean[] isHost;
    private final int npus;
    private final boolean asReference;

    private NetworkClient client = new UnstartedClient();
    private long handled;
    private boolean stopped;
    private boolean done;

    /**
     * Creates a network.
     *
     * @param npus number of NPUs; NPU {@code i} is node {@code i}, which must be a host if it sends or receives
     */
    public PacketNetwork(PacketSpec spec, int npus, PacketListener listener) {
        this.npus = npus;
        asReference = spec.asReference();
        state = new State(spec, listener);
        heap = state.heap;
        near = state.near;
        packets = state.packets;
        ports = state.ports;
        flows = state.flows;
        flowsOfPair = new char[spec.topology().nodes()][];
        isHost = new boolean[spec.topology().nodes()];
        boolean[] isSwitch = spec.topology().isSwitch();
        for (int node = 0; node < isHost.length; node++) {
            isHost[node] = !isSwitch[node];
        }
        wire = new Wire(state);
        queues = new FlowQueues(state);
        control = spec.congestion().control(state, queues);
        FrameTracer tracer = new FrameTracer(state);
        switches = new SwitchSide(state, wire, tracer, spec.congestion().telemetry(state));
        fastPath = new FlowFastPath(state, queues, switches, tracer.active, new Replay());
        hosts = new HostSide(state, wire, tracer, queues, control, fastPath, this::complete);
        losses = new FrameLoss(state);
        periodicTasks = new PeriodicTasks(state, queues, hosts, switches);
        ideals = new IdealTimes(state);
    }

    @Override
    public int npus() {
        return npus;
    }

    @Override
    public boolean supportsSelfSend() {
        return false;
    }

    @Override
    public long now() {
        return state.now;
    }

    @Override
    public void schedule(long at, long event) {
        heap.plan(at, State.CLIENT | clientEvents.put(event));
    }

    @Override
    public void send(int source, int destination, long bytes, int tag, int handle) {
        if (!isHost(source) || !isHost(destination)) {
            throw noHost(source, destination);
        }
        if (state.routes.towards(source, destination).length == 0) {
            throw unreachable(source, destination);
        }
        int flow = flows.take();
        flows.source[flow] = source;
        flows.destination[flow] = destination;
        flows.bytes[flow] = bytes;
        flows.sourcePort[flow] = nextPort(source, destination);
        flows.started[flow] = state.now;
        flows.message[flow] = messages.put(tag, handle);
        heap.plan(state.now, State.INITIALISE | flow);
    }

    private boolean isHost(int npu) {
        return npu < isHost.length && isHost[npu];
    }

    private StageException noHost(int source, int destination) {
        int npu = isHost(source) ? destination : source;
        String what = npu < isHost.length ? "node " + npu + " is a switch" : "there are " + isHost.length + " nodes";
        return StageException.input(Problem.of(
                        "topology error",
                        "",
                        "NPU " + source + " sends to NPU " + destination + ", but NPU " + npu + " is no host: NPU i is"
                                + " node i, and " + what)
                .hint("give the topology a host for every NPU that communicates, with the NPU's number"));
    }

    private StageException unreachable(int source, int destination) {
        String failed = state.spec
                .linkDown()
                .filter(down -> down.atNs() <= state.now)
                .map(down -> "the cable between nodes " + down.a() + " and " + down.b() + " failed at " + down.atNs()
                        + " ns; add a second path")
                .orElse(
                        "hosts do not forward; add links, a switch, an algorithm with transfers only between neighbours, or"
                                + " network.packet.forwarding=true");
        return StageException.input(Problem.of(
                        "topology error",
                        "",
                        "host " + source + " sends to host " + destination
                                + ", but no path of switches or direct link joins them")
                .hint(failed));
    }

    private int nextPort(int source, int destination) {
        if (flowsOfPair[source] == null) {
            flowsOfPair[source] = new char[flowsOfPair.length];
        }
        return FIRST_SOURCE_PORT + flowsOfPair[source][destination]++ & PORT_MASK;
    }

    @Override
    public void receive(int source, int destination, long bytes, int tag, int handle) {
        boolean there = asReference
                ? byteMatcher.receive(source, destination, bytes, tag, handle)
                : matcher.receive(source, destination, bytes, tag, handle);
        if (there) {
            client.received(handle);
        }
    }

    @Override
    public void run(NetworkClient newClient) {
        client = newClient;
        stopped = done;
        long due = PROGRESS_EVENTS;
        while (!stopped && step()) {
            if (events() >= due) {
                due += PROGRESS_EVENTS;
                client.progress();
            }
        }
        if (fastPath.isActive()) {
            fastPath.fallBack();
        }
        fastPath.busyPeriods.abandon();
    }

    /** Handles the first pending event. Returns false if there is none. */
    private boolean step() {
        if (fastPath.isActive() && (!heap.hasNext() || heap.time() > state.now)) {
            fastPath.advance();
        }
        return stepBefore(Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** Handles the first pending event if it precedes a time and stamp. Returns true if it did. */
    private boolean stepBefore(long limit, long limitStamp) {
        long time = near.time(state.now);
        if (heap.hasNext() && (heap.time() < time || (heap.time() == time && heap.stamp() < near.stamp(time)))) {
            if (heap.time() > limit || (heap.time() == limit && heap.stamp() > limitStamp)) {
                return false;
            }
            state.now = heap.time();
            state.stamp = heap.stamp();
            handled++;
            heap.removeFirst();
            handle(state.stamp);
            return true;
        }
        if (time == Long.MAX_VALUE || time > limit || (time == limit && near.stamp(time) > limitStamp)) {
            return false;
        }
        state.now = time;
        state.stamp = near.stamp(time);
        handled++;
        int node = near.take(time);
        if (node < ports.count) {
            free(node);
        } else {
            arrive(node - ports.count);
        }
        return true;
    }

    private void handle(long stamp) {
        int what = (int) stamp & (1 << EventHeap.BITS) - 1;
        int kind = what & ~State.INDEX;
        if (kind <= State.WAKE) {
            handle(kind, what & State.INDEX, stamp);
            return;
        }
        state.isHandling = true;
        fastPath.begin();
        handle(kind, what & State.INDEX, stamp);
        fastPath.end(state.stamp);
        state.isHandling = false;
    }

    private void handle(int kind, int index, long stamp) {
        switch (kind) {
            case State.ARRIVE -> arrive(index);
            case State.FREE -> free(index);
            case State.WAKE -> {
                if (queues.consumeWake(index, stamp)) {
                    hosts.attempt(index);
                }
            }
            case State.CLIENT -> client.event(clientEvents.take(index));
            case State.INITIALISE -> heap.plan(state.now, State.START | index);
            case State.START -> start(index);
            case State.LAST_LEG -> fastPath.beginLastLeg(index);
            case State.TRAIN_DONE -> hosts.completeTrain(index);
            default -> {
                if (kind >= State.TIMER && kind <= State.LAST_TIMER) {
                    state.counters.periodic--;
                    control.timer((kind - State.TIMER) >> State.INDEX_BITS, index, stamp);
                    queues.changed(index);
                    stopped |= periodicTasks.isIdle();
                    return;
                }
                if (kind == State.LINK_DOWN && fastPath.isActive()) {
                    fastPath.fallBack();
                }
                if (kind == State.MONITOR) {
                    fastPath.setSampledQueues();
                }
                stopped |= periodicTasks.handle(kind, index);
            }
        }
    }

    private void free(int port) {
        wire.free(port);
        if (ports.onSwitch[port]) {
            switches.attempt(port);
        } else {
            hosts.attempt(port);
        }
    }

    private void arrive(int packet) {
        int port = packets.ingress(packet);
        if (!ports.up[port] || (losses.active && losses.drops(port))) {
            lose(packet);
            return;
        }
        int kind = packets.kind(packet);
        if (kind >= Packets.PAUSE) {
            boolean stop = kind == Packets.PAUSE;
            state.listener.paused(state.now, ports.node[port], ports.onSwitch[port], ports.number[port], stop);
            if (ports.onSwitch[port]) {
                switches.pause(port, packet);
            } else {
                hosts.pause(port, packet);
            }
        } else if (ports.onSwitch[port]) {
            switches.arrive(port, packet);
        } else {
            hosts.arrive(port, packet);
        }
    }

    private void lose(int packet) {
        state.counters.lost++;
        if (packets.kind(packet) < Packets.PAUSE) {
            flows.release(packets.flow(packet));
        }
        packets.release(packet);
    }

    private void start(int flow) {
        limit(flow);
        periodicTasks.watch(flow);
        hosts.start(flow);
        flows.ideal[flow] = ideals.of(flow);
    }

    /** Sets the window and the RTT of a flow. */
    private void limit(int flow) {
        int source = flows.source[flow];
        int destination = flows.destination[flow];
        TransportSpec transport = state.spec.transport();
        boolean global = transport.largestWindow();
        Routes routes = state.routes;
        flows.roundTrip[flow] = global ? routes.longestRoundTrip() : routes.roundTrip(source, destination);
        flows.window[flow] =
                !transport.window() ? 0 : global ? routes.largestProduct() : routes.product(source, destination);
        int port = state.choice.fromHost(flow, true);
        if (transport.window() && state.spec.paths().spray() && port != Ports.NONE) {
            // Frames sprayed over slow cables can fill all of them together, so the window covers the host's full rate.
            long product = flows.roundTrip[flow] * (ports.rate[port] / Byte.SIZE) / NANOS;
            flows.window[flow] = Math.max(flows.window[flow], product);
        }
    }

    private void complete(int flow) {
        int source = flows.source[flow];
        int destination = flows.destination[flow];
        long bytes = flows.bytes[flow];
        int message = flows.message[flow];
        if (message == Messages.NONE) {
            flows.resetReceiver(flow);
            flows.release(flow);
            fastPath.replayCompletion();
            return;
        }
        state.listener.completed(
                source,
                destination,
                flows.sourcePort[flow],
                bytes,
                flows.started[flow],
                state.now - flows.started[flow],
                referenceTime(source, destination, bytes),
                flows.ideal[flow]);
        flows.resetReceiver(flow);
        flows.release(flow);
        int tag = messages.tag(message);
        int handle = messages.take(message);
        if (handle >= 0) {
            client.sent(handle);
        }
        int receive = asReference
                ? byteMatcher.arrive(source, destination, bytes, tag)
                : matcher.arrive(source, destination, bytes, tag);
        if (receive >= 0) {
            client.received(receive);
        }
    }

    /**
     * Duration of a message in an empty network by the reference's formula: 48 bytes of headers per frame, 32-bit sums.
     */
    private long referenceTime(int source, int destination, long bytes) {
        long payload = state.spec.transport().payload();
        long total = bytes + ((bytes - 1) / payload + 1) * STATED_HEADERS;
        if (asReference) {
            total &= LOW;
        }
        Routes routes = state.routes;
        return routes.roundTrip(source, destination)
                + Long.divideUnsigned(total * BITS_TIMES_NANOS, routes.slowest(source, destination));
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public void workDone() {
        done = true;
        stopped = true;
    }

    @Override
    public long events() {
        return handled + state.counters.skippedEvents;
    }

    @Override
    public long messages() {
        return messages.count();
    }

    @Override
    public void unmatched(Consumer<Unmatched> sink) {
        if (asReference) {
            byteMatcher.unmatched(sink);
        } else {
            matcher.unmatched(sink);
        }
    }

    @Override
    public List<LinkUse> links() {
        List<LinkUse> links = new ArrayList<>();
        int frame = state.spec.transport().payload() + state.sizes.dataHeaders;
        ports(use -> links.add(new LinkUse(
                use.at().node(),
                use.at().peer(),
                0,
                use.rate() / BITS_PER_BYTE_NS,
                use.frames(),
                use.bytes(),
                use.busyNs(),
                use.waitedNs(),
                (use.maxWaiting() + frame - 1) / frame)));
        return links;
    }

    /** Reports the use of every port, by node and port number. */
    public void ports(Consumer<PortUse> sink) {
        for (int[] ofNode : ports.ofNode) {
            for (int port : ofNode) {
                sink.accept(ports.use(port, state.now));
            }
        }
    }

    /** Totals of the run. */
    public PacketTotals totals() {
        State.Counters counters = state.counters;
        return new PacketTotals(
                counters.dropped, counters.lost, counters.marked, counters.pauses, counters.retransmissions);
    }

    /** Incomplete flows in the order of their slots, each with the event it waits for. */
    public List<IncompleteFlow> openFlows() {
        return new IncompleteFlows(state, queues).list();
    }

    /**
     * Reports receives that were replaced by a later one with the same key and are never notified, as in the reference.
     * Their size is 0.
     */
    void displacedReceives(Consumer<Unmatched> sink) {
        byteMatcher.displaced(sink);
    }

    /** Events that the reference would have handled, including its set-up: 2 per node and 3 per cable. */
    public long referenceEvents() {
        return events() - ports.freeLater(state.now, state.stamp) + 2L * ports.ofNode.length + 3L * (ports.count / 2);
    }

    /** Events actually handled, without the skipped events that {@link #events} includes. */
    long handledEvents() {
        return handled;
    }

    /** Disables the fast path: every frame becomes an event. Results do not change. */
    public void followEveryFrame() {
        state.fastPath = false;
    }

    /** Random streams used so far, including the set-up. */
    public long randomStreams() {
        return state.random.used();
    }

    /**
     * Means over the connected pairs of NPUs that differ in exactly one logical dimension.
     *
     * @param stride product of the sizes of the dimensions before it
     * @param size number of positions along the dimension
     */
    public PairMeans pairMeans(int stride, int size) {
        return PairMeans.of(state.routes, npus, stride, size);
    }

    /** Longest round trip between two hosts in ns, in an empty network. */
    public long longestRoundTrip() {
        return state.routes.longestRoundTrip();
    }

    /** Maximum bandwidth-delay product of a path between two hosts, in bytes. */
    public long largestProduct() {
        return state.routes.largestProduct();
    }

    /** Replays frames individually after the fast path is left. */
    private final class Replay implements FlowFastPath.Frames {
        @Override
        public boolean step(long time, long stamp) {
            return stepBefore(time, stamp);
        }

        @Override
        public void send(int flow) {
            hosts.sendFirst(flow);
        }

        @Override
        public void enter(int flow) {
            hosts.enter(flow);
        }

        @Override
        public int restart(PacketTrain train) {
            int flow = flows.take();
            flows.source[flow] = train.source;
            flows.destination[flow] = train.destination;
            flows.bytes[flow] = train.bytes;
            flows.sourcePort[flow] = train.sourcePort;
            flows.message[flow] = Messages.NONE;
            limit(flow);
            hosts.restart(flow);
            return flow;
        }
    }
}
