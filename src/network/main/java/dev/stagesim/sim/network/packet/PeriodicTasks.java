package dev.stagesim.sim.network.packet;

import dev.stagesim.sim.network.packet.host.HostSide;
import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.Flows;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.switching.SwitchSide;
import dev.stagesim.sim.network.packet.topology.Ports;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Events without a frame: queue samples, a cable failure, stalls and retransmission timers. */
final class PeriodicTasks {
    private static final int MAX_DOUBLINGS = 6;
    private static final int ROUND_TRIPS = 4;
    private static final long MICRO = 1000;

    private final State state;
    private final FlowQueues queues;
    private final HostSide hosts;
    private final SwitchSide switches;
    private final Optional<PacketSpec.Monitor> monitor;
    private final int[][] samples;
    private final long timeout;
    private int monitors;

    PeriodicTasks(State state, FlowQueues queues, HostSide hosts, SwitchSide switches) {
        this.state = state;
        this.queues = queues;
        this.hosts = hosts;
        this.switches = switches;
        monitor = state.spec.monitor();
        samples = new int[state.ports.ofNode.length][];
        timeout = state.spec.asReference() ? 0 : state.spec.transport().retransmit() * MICRO;
        for (int node : state.spec.topology().switches()) {
            samples[node] = new int[state.ports.ofNode[node].length];
        }
        state.spec.linkDown().ifPresent(down -> state.heap.plan(down.atNs(), State.LINK_DOWN));
        monitor.ifPresent(what -> plan(what.startNs()));
    }

    private void plan(long at) {
        state.heap.plan(at, State.MONITOR);
        monitors = 1;
    }

    /** True if only self-repeating events are pending. */
    boolean isIdle() {
        return state.counters.trains == 0
                && state.near.size() == 0
                && state.heap.size() <= monitors + state.counters.periodic;
    }

    /** Handles an event. Returns true if the run has ended. */
    boolean handle(int kind, int index) {
        switch (kind) {
            case State.MONITOR -> {
                sample();
                return isIdle();
            }
            case State.LINK_DOWN -> state.spec.linkDown().ifPresent(this::takeDown);
            case State.STALL_END -> hosts.endStall(index);
            case State.STALL_READY -> hosts.readyToStall(index);
            case State.RETRANSMIT -> {
                return expire(index);
            }
            default -> throw new IllegalStateException("unknown kind of event " + kind);
        }
        return false;
    }

    private void sample() {
        PacketSpec.Monitor what = monitor.orElseThrow();
        monitors = 0;
        for (int node : state.spec.topology().switches()) {
            int[] bytes = samples[node];
            int[] ports = state.ports.ofNode[node];
            for (int i = 0; i < ports.length; i++) {
                bytes[i] = state.ports.waiting[ports[i]];
            }
            state.listener.sampled(state.now, node, bytes);
        }
        if (state.now + what.periodNs() <= what.endNs()) {
            plan(state.now + what.periodNs());
        }
    }

    /** Takes a cable down, recomputes the routes, and reassigns the flows of every host to ports. */
    private void takeDown(PacketSpec.LinkDown down) {
        Ports ports = state.ports;
        int cut = Ports.NONE;
        for (int port : ports.ofNode[down.a()]) {
            if (ports.node[port ^ 1] == down.b() && ports.up[port]) {
                cut = port;
            }
        }
        if (cut == Ports.NONE) {
            return;
        }
        ports.up[cut] = false;
        ports.up[cut ^ 1] = false;
        state.routes.compute();
        for (int port = Math.min(cut, cut ^ 1); port <= Math.max(cut, cut ^ 1); port++) {
            if (ports.onSwitch[port]) {
                switches.takeDown(port);
            } else {
                hosts.takeDown(port);
            }
        }
        boolean[] isSwitch = state.spec.topology().isSwitch();
        List<List<Integer>> known = new ArrayList<>();
        for (int node = 0; node < isSwitch.length; node++) {
            known.add(new ArrayList<>());
        }
        for (int flow = 0; flow < state.flows.used(); flow++) {
            if (state.flows.active[flow]) {
                known.get(state.flows.source[flow]).add(flow);
            }
        }
        for (int node = 0; node < isSwitch.length; node++) {
            if (!isSwitch[node]) {
                for (int port : ports.ofNode[node]) {
                    queues.clear(port);
                }
                known.get(node).forEach(hosts::reassign);
            }
        }
    }

    /** Starts the retransmission timer of a new flow. */
    void watch(int flow) {
        if (timeout > 0) {
            state.flows.progressAt[flow] = state.now;
            state.flows.timer[flow] = state.heap.plan(state.now + allowed(flow), State.RETRANSMIT | flow);
        }
    }

    private boolean expire(int flow) {
        Flows flows = state.flows;
        if (!flows.active[flow] || flows.timer[flow] != state.stamp) {
            return false;
        }
        if (flows.onFastPath[flow]) {
            hosts.noteProgress(flow);
        }
        if (state.now - flows.progressAt[flow] >= allowed(flow)) {
            if (flows.timeouts[flow] >= state.spec.transport().retries()) {
                return true;
            }
            if (flows.onFastPath[flow]) {
                hosts.leaveFastPath();
            }
            flows.timeouts[flow]++;
            flows.progressAt[flow] = state.now;
            flows.nextByte[flow] = flows.acked[flow];
            state.counters.retransmissions++;
            queues.changed(flow);
            hosts.attempt(flows.port[flow]);
        }
        flows.timer[flow] = state.heap.plan(flows.progressAt[flow] + allowed(flow), State.RETRANSMIT | flow);
        return false;
    }

    /** Retransmission timeout in ns: base plus four RTTs, doubled after each expiry. */
    private long allowed(int flow) {
        long base = timeout + ROUND_TRIPS * state.flows.roundTrip[flow];
        return base << Math.min(state.flows.timeouts[flow], MAX_DOUBLINGS);
    }
}
