package dev.stagesim.sim.collective;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.sim.collective.result.SimulationObserver;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.collective.trace.RankTrace.Type;
import dev.stagesim.sim.collective.trace.TraceErrors;
import dev.stagesim.sim.network.Network;

/** Issues trace nodes when their parents are done and a slot is free, and detects the end of each NPU's trace. */
final class Workload implements NpuMessages.Listener, Collectives.Listener {
    private static final int BROADCAST = 5;

    /** Notified of finished NPUs. */
    interface FinishListener {
        void finished(Npu npu, long now);
    }

    private final SimulationSpec spec;
    private final Network network;
    private final NpuTimers timers;
    private final SimulationObserver observer;
    private final FinishListener listener;
    private final CollectivePlanner planner;
    private final Npu[] npus;
    private final RemoteMemory memory;
    private final long nsPerUnit;
    private final boolean isCommLimited;
    private final boolean isStrict;
    private final NpuMessages links;
    private final Collectives collectives;

    Workload(
            SimulationSpec spec,
            Network network,
            NpuTimers timers,
            Npu[] npus,
            Streams streams,
            SimulationObserver observer,
            FinishListener listener) {
        this.spec = spec;
        this.network = network;
        this.timers = timers;
        this.npus = npus;
        this.observer = observer;
        this.listener = listener;
        this.planner = new CollectivePlanner(spec);
        this.memory = new RemoteMemory(spec.memory(), spec.npus(), timers);
        this.nsPerUnit = spec.nsPerDuration();
        this.isCommLimited = spec.compat() != AstraCompat.ASTRA_2023;
        this.isStrict = spec.compat() == AstraCompat.NONE;
        this.links = new NpuMessages(network, spec.system().rendezvous(), this, observer);
        this.collectives = new Collectives(spec, streams, links, timers, this);
    }

    Collectives collectives() {
        return collectives;
    }

    NpuMessages links() {
        return links;
    }

    RemoteMemory memory() {
        return memory;
    }

    /** Starts an NPU's trace. */
    void start(Npu npu) {
        int[] parents = npu.trace.parents;
        for (int node = 0; node < parents.length; node++) {
            if (parents[node] == 0) {
                npu.addFreed(node);
            }
        }
        issueFree(npu);
        checkEnd(npu);
    }

    @Override
    public void nodeDone(int rank, int node) {
        complete(npus[rank], node);
    }

    @Override
    public void collectiveDone(Npu npu, int node) {
        complete(npu, node);
    }

    @Override
    public void customDone(int slot, int node) {
        collectives.customDone(slot, node);
    }

    void complete(Npu npu, int node) {
        end(npu, node);
        issueFree(npu);
        checkEnd(npu);
    }

    private void end(Npu npu, int node) {
        RankTrace trace = npu.trace;
        long now = network.now();
        long since = npu.end(node);
        npu.inSlot[slot(trace, node)]--;
        npu.done++;
        count(npu, node, since, now);
        observer.node(npu.rank, node, since, now);
        if (trace.type[node] == Type.COLLECTIVE) {
            npu.plans
                    .begun(node)
                    .ifPresent(plan -> observer.collective(
                            plan.regular().kind(),
                            plan.members(spec.npus()),
                            trace.commSize[node],
                            since,
                            now,
                            npu.multiplicity));
        }
        for (int i = trace.childStart[node]; i < trace.childStart[node + 1]; i++) {
            int child = trace.children[i];
            if (--npu.waitsFor[child] == 0) {
                npu.addFreed(child);
            }
        }
    }

    private static void count(Npu npu, int node, long since, long now) {
        switch (npu.trace.type[node]) {
            case SEND, RECEIVE, COLLECTIVE -> npu.use.commEnds(since, now);
            case MEMORY -> npu.use.memoryEnds(since, now);
            case COMPUTE -> {
                if (npu.trace.onCpu[node]) {
                    npu.use.cpuEnds(since, now);
                } else {
                    npu.use.gpuEnds(since, now);
                }
            }
            default -> npu.use.invalidEnds(now);
        }
    }

    private static int slot(RankTrace trace, int node) {
        if (trace.onCpu[node]) {
            return Npu.CPU;
        }
        return switch (trace.type[node]) {
            case COMPUTE -> Npu.GPU;
            case RECEIVE -> Npu.RECEIVE;
            default -> Npu.COMM;
        };
    }

    /**
     * Issues ready nodes with a free slot, in order of id. Nodes that become ready during the call wait for the next
     * one.
     */
    private void issueFree(Npu npu) {
        do {
            for (int i = 0; i < npu.freedCount; i++) {
                int node = npu.freed[i];
                npu.free[slot(npu.trace, node)].add(node);
            }
            npu.freedCount = 0;
            for (int slot = nextSlot(npu); slot >= 0; slot = nextSlot(npu)) {
                issue(npu, npu.free[slot].take(), slot);
            }
        } while (isStrict && npu.freedCount > 0);
    }

    /** Slot of the issuable ready node with the lowest id, or -1. */
    private int nextSlot(Npu npu) {
        int best = -1;
        int node = Integer.MAX_VALUE;
        for (int slot = 0; slot < npu.free.length; slot++) {
            IntHeap heap = npu.free[slot];
            if (!heap.isEmpty() && heap.first() < node && isAvailable(npu, slot)) {
                node = heap.first();
                best = slot;
            }
        }
        return best;
    }

    private boolean isAvailable(Npu npu, int slot) {
        return slot == Npu.RECEIVE || npu.inSlot[slot] == 0 || (slot == Npu.COMM && !isCommLimited);
    }

    private void issue(Npu npu, int node, int slot) {
        RankTrace trace = npu.trace;
        npu.inSlot[slot]++;
        npu.begin(node, network.now());
        Type type = trace.type[node];
        if (type == Type.SEND || type == Type.RECEIVE || type == Type.COLLECTIVE) {
            npu.use.commBegins();
        }
        TraceErrors.checkKind(trace, node, RankTrace.IS_CPU_OP, "is_cpu_op");
        if (type == Type.METADATA) {
            throw TraceErrors.node(trace, node, "a METADATA node cannot be executed");
        }
        if (type == Type.UNKNOWN) {
            throw TraceErrors.node(trace, node, "its type is not in the format, whose last type is 7");
        }
        if (spec.system().replayOnly()) {
            replay(npu, node);
            return;
        }
        switch (type) {
            case COMPUTE -> compute(npu, node);
            case MEMORY -> {
                TraceErrors.require(trace, node, RankTrace.TENSOR_SIZE, "tensor_size");
                memory.access(npu, node, trace.tensorSize[node]);
            }
            case COLLECTIVE -> collective(npu, node);
            case SEND -> send(npu, node);
            case RECEIVE -> receive(npu, node);
            default -> end(npu, node);
        }
    }

    private void replay(Npu npu, int node) {
        long ns = NpuTimers.ns(npu.trace.durationMicros[node], nsPerUnit);
        // Only the reference counts replayed communication as computation.
        if (!npu.trace.onCpu[node] && (!isStrict || npu.trace.type[node] == Type.COMPUTE)) {
            npu.use.gpuPlanned(ns);
        }
        timers.register(npu.rank, ns, Timer.NODE_DONE, node, 0);
    }

    private void compute(Npu npu, int node) {
        RankTrace trace = npu.trace;
        if (spec.system().roofline().isEmpty() || trace.onCpu[node]) {
            replay(npu, node);
            return;
        }
        TraceErrors.require(trace, node, RankTrace.NUM_OPS, "num_ops");
        TraceErrors.require(trace, node, RankTrace.TENSOR_SIZE, "tensor_size");
        if (trace.tensorSize[node] == 0) {
            if (isStrict) {
                throw TraceErrors.node(trace, node, "tensor_size is 0, so that the roofline has no intensity");
            }
            end(npu, node);
            return;
        }
        double ops = unsigned(trace.numOps[node]);
        double intensity = ops / unsigned(trace.tensorSize[node]);
        double peak = spec.system().roofline().get().peak();
        double bandwidth = spec.system().localMemoryBandwidth();
        double performance = Math.min(bandwidth * intensity, peak);
        double time = ops / performance * NS_PER_S;
        if (Double.isNaN(time) && spec.compat() == AstraCompat.ASTRA) {
            throw TraceErrors.node(
                    trace, node, "num_ops is 0 under the roofline, which the reference takes for 2^63 ns");
        }
        long ns = Double.isInfinite(time) || Double.isNaN(time) ? 0 : (long) time;
        npu.use.gpuPlanned(ns);
        npu.use.roofline(ns, intensity, performance, peak, bandwidth);
        timers.register(npu.rank, ns, Timer.NODE_DONE, node, 0);
    }

    private static double unsigned(long bits) {
        return bits >= 0 ? bits : (bits >>> 1) * 2.0;
    }

    private void collective(Npu npu, int node) {
        RankTrace trace = npu.trace;
        checkNotOnCpu(trace, node);
        TraceErrors.require(trace, node, RankTrace.COMM_TYPE, "comm_type");
        TraceErrors.checkKind(trace, node, RankTrace.COMM_PRIORITY, "comm_priority");
        if (spec.compat() == AstraCompat.ASTRA) {
            TraceErrors.require(trace, node, RankTrace.COMM_SIZE, "comm_size");
        }
        if (trace.commType[node] == BROADCAST) {
            if (isStrict && trace.durationMicros[node] == 0) {
                throw TraceErrors.node(
                        trace, node, "a broadcast takes the duration of its node, and this one has none");
            }
            long ns = NpuTimers.ns(trace.durationMicros[node], nsPerUnit);
            timers.register(npu.rank, ns, Timer.NODE_DONE, node, 0);
            return;
        }
        collectives.start(npu, node, npu.plans.plan(node, planner));
    }

    private void send(Npu npu, int node) {
        RankTrace trace = npu.trace;
        checkMessage(npu, node, RankTrace.COMM_DST, "comm_dst");
        int from = trace.has(node, RankTrace.COMM_SRC) ? trace.source[node] : npu.rank;
        if (from != npu.rank) {
            throw TraceErrors.node(
                    trace, node, "the node sends for NPU " + from + " and is executed by NPU " + npu.rank);
        }
        checkPeer(npu, node, trace.destination[node]);
        links.sendNode(npu.rank, trace.destination[node], trace.commSize[node], trace.tag[node], node);
    }

    private void receive(Npu npu, int node) {
        RankTrace trace = npu.trace;
        checkMessage(npu, node, RankTrace.COMM_SRC, "comm_src");
        int to = trace.has(node, RankTrace.COMM_DST) ? trace.destination[node] : npu.rank;
        if (to != npu.rank) {
            throw TraceErrors.node(
                    trace, node, "the node receives for NPU " + to + " and is executed by NPU " + npu.rank);
        }
        checkPeer(npu, node, trace.source[node]);
        links.receiveNode(npu.rank, trace.source[node], trace.commSize[node], trace.tag[node], node);
    }

    private void checkMessage(Npu npu, int node, int peer, String name) {
        RankTrace trace = npu.trace;
        checkNotOnCpu(trace, node);
        TraceErrors.require(trace, node, peer, name);
        TraceErrors.require(trace, node, RankTrace.COMM_SIZE, "comm_size");
        TraceErrors.require(trace, node, RankTrace.COMM_TAG, "comm_tag");
        TraceErrors.checkKind(trace, node, RankTrace.COMM_SRC | RankTrace.COMM_DST, "comm_src or comm_dst");
        TraceErrors.positive(trace, node);
    }

    private void checkPeer(Npu npu, int node, int peer) {
        if (peer < 0 || peer >= spec.npus()) {
            throw TraceErrors.node(npu.trace, node, "NPU " + peer + " does not exist: there are " + spec.npus());
        }
        if (peer == npu.rank && npu.trace.type[node] == Type.SEND && !network.supportsSelfSend()) {
            throw TraceErrors.node(npu.trace, node, "NPU " + peer + " sends to itself");
        }
    }

    private static void checkNotOnCpu(RankTrace trace, int node) {
        if (trace.onCpu[node]) {
            throw TraceErrors.node(trace, node, "communication cannot run on the host processor");
        }
    }

    private void checkEnd(Npu npu) {
        if (npu.isFinished || npu.runningCount > 0 || npu.hasReadyNode()) {
            return;
        }
        if ((isStrict || npu.trace.endsWithAll) && npu.done < npu.trace.size()) {
            return;
        }
        npu.isFinished = true;
        listener.finished(npu, network.now());
    }
}
