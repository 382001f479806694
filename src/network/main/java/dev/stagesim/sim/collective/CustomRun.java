package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.procedure.ChunkRun;
import dev.stagesim.sim.collective.procedure.Group;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.collective.trace.CustomCollective;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.collective.trace.TraceErrors;

/** A collective defined by a trace. Nodes start in order of id as soon as their parents are done, without slots. */
final class CustomRun extends ChunkRun {
    private final ChunkState stream;
    private final SimulationSpec spec;
    private final NpuMessages links;
    private final NpuTimers timers;
    private final RankTrace trace;
    private final int[] waitsFor;
    private int running;

    CustomRun(ChunkState stream, SimulationSpec spec, NpuMessages links, NpuTimers timers) {
        super(stream);
        this.stream = stream;
        this.spec = spec;
        this.links = links;
        this.timers = timers;
        this.trace = trace();
        this.waitsFor = trace.parents.clone();
    }

    private RankTrace trace() {
        CustomCollective custom = stream.plan.custom().orElseThrow();
        int rank = stream.npu.rank;
        // The reference numbers a group's members in ascending order here, but in list order in messages.
        boolean isReference = spec.compat() != AstraCompat.NONE;
        int position = stream.plan
                .group()
                .map(group -> isReference ? group.sortedPosition(rank) : group.position(rank))
                .orElse(rank);
        if (position >= custom.traces().size()) {
            throw TraceErrors.node(
                    stream.npu.trace,
                    stream.owner.node,
                    "the custom collective has " + custom.traces().size() + " traces, and position " + position
                            + " needs one");
        }
        return custom.traces().get(position);
    }

    @Override
    public void start() {
        for (int node = 0; node < trace.size(); node++) {
            if (waitsFor[node] == 0) {
                issue(node);
            }
        }
    }

    private void issue(int node) {
        running++;
        switch (trace.type[node]) {
            case SEND -> {
                TraceErrors.require(trace, node, RankTrace.COMM_DST, "comm_dst");
                check(node);
                int to = rank(node, trace.destination[node]);
                if (to == stream.npu.rank && !links.supportsSelfSend()) {
                    throw TraceErrors.node(trace, node, "NPU " + to + " sends to itself");
                }
                links.sendCustom(stream, to, trace.commSize[node], trace.tag[node], node);
            }
            case RECEIVE -> {
                TraceErrors.require(trace, node, RankTrace.COMM_SRC, "comm_src");
                check(node);
                int from = rank(node, trace.source[node]);
                links.receiveCustom(stream, from, trace.commSize[node], trace.tag[node], node);
            }
            case COMPUTE -> {
                long ns = NpuTimers.ns(trace.durationMicros[node], spec.nsPerDuration());
                timers.register(stream.npu.rank, ns, Timer.CUSTOM_DONE, stream.slot, node);
            }
            default ->
                throw TraceErrors.node(trace, node, "a custom collective is made of sends, receives and computations");
        }
    }

    private void check(int node) {
        TraceErrors.require(trace, node, RankTrace.COMM_SIZE, "comm_size");
        TraceErrors.require(trace, node, RankTrace.COMM_TAG, "comm_tag");
        TraceErrors.positive(trace, node);
    }

    /** The rank at a position of the collective. */
    private int rank(int node, int position) {
        int size = stream.plan.group().map(Group::size).orElse(spec.npus());
        if (position < 0 || position >= size) {
            throw TraceErrors.node(
                    trace,
                    node,
                    "position " + position + " does not exist: the collective has " + size + ", counted from 0");
        }
        return stream.plan.group().map(g -> g.rank(position)).orElse(position);
    }

    @Override
    public void nodeDone(int node) {
        running--;
        for (int i = trace.childStart[node]; i < trace.childStart[node + 1]; i++) {
            int child = trace.children[i];
            if (--waitsFor[child] == 0) {
                issue(child);
            }
        }
        if (running == 0) {
            end();
        }
    }
}
