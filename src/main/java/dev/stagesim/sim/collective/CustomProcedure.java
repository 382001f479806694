package dev.stagesim.sim.collective;

/** A collective given as a trace: its nodes run as soon as they are free, in order of id, without slots. */
final class CustomProcedure implements Procedure {

    private final long nsPerDuration;

    /** Whether positions count a group's members in ascending order, while ends count them as they are listed. */
    private final boolean isReference;

    private final int npus;
    private final boolean carriesToSelf;
    private final Links links;
    private final NpuTimers timers;
    private final Collectives collectives;

    CustomProcedure(
            Links links, NpuTimers timers, Collectives collectives, SimulationSpec spec, boolean carriesToSelf) {
        this.nsPerDuration = spec.nsPerDuration();
        this.isReference = spec.compat() != Compat.NONE;
        this.npus = spec.npus();
        this.carriesToSelf = carriesToSelf;
        this.links = links;
        this.timers = timers;
        this.collectives = collectives;
    }

    @Override
    public void start(Stream stream) {
        CustomRun run = new CustomRun(trace(stream));
        stream.custom = run;
        for (int node = 0; node < run.trace.size(); node++) {
            if (run.waitsFor[node] == 0) {
                issue(stream, run, node);
            }
        }
    }

    private RankTrace trace(Stream stream) {
        CustomCollective custom = stream.plan.custom().orElseThrow();
        int rank = stream.npu.rank;
        int position = stream.plan
                .group()
                .map(group -> isReference ? group.sortedPosition(rank) : group.position(rank))
                .orElse(rank);
        if (position >= custom.traces().size()) {
            throw Refusals.node(
                    stream.npu.trace,
                    stream.owner.node,
                    "the custom collective has " + custom.traces().size() + " traces, and position " + position
                            + " needs one");
        }
        return custom.traces().get(position);
    }

    private void issue(Stream stream, CustomRun run, int node) {
        RankTrace trace = run.trace;
        run.running++;
        switch (trace.type[node]) {
            case SEND -> {
                Refusals.require(trace, node, RankTrace.COMM_DST, "comm_dst");
                check(trace, node);
                int to = rank(stream, trace, node, trace.destination[node]);
                if (to == stream.npu.rank && !carriesToSelf) {
                    throw Refusals.node(trace, node, "NPU " + to + " sends to itself");
                }
                links.sendCustom(stream, to, trace.commSize[node], trace.tag[node], node);
            }
            case RECEIVE -> {
                Refusals.require(trace, node, RankTrace.COMM_SRC, "comm_src");
                check(trace, node);
                links.receiveCustom(
                        stream,
                        rank(stream, trace, node, trace.source[node]),
                        trace.commSize[node],
                        trace.tag[node],
                        node);
            }
            case COMPUTE ->
                timers.register(
                        stream.npu.rank,
                        NpuTimers.ns(trace.durationMicros[node], nsPerDuration),
                        Timer.CUSTOM_DONE,
                        stream.slot,
                        node);
            default ->
                throw Refusals.node(trace, node, "a custom collective is made of sends, receives and computations");
        }
    }

    private static void check(RankTrace trace, int node) {
        Refusals.require(trace, node, RankTrace.COMM_SIZE, "comm_size");
        Refusals.require(trace, node, RankTrace.COMM_TAG, "comm_tag");
        Refusals.positive(trace, node);
    }

    /** The rank that a trace's position means. */
    private int rank(Stream stream, RankTrace trace, int node, int position) {
        int size = stream.plan.group().map(Group::size).orElse(npus);
        if (position < 0 || position >= size) {
            throw Refusals.node(
                    trace,
                    node,
                    "position " + position + " does not exist: the collective has " + size + ", counted from 0");
        }
        return stream.plan.group().map(g -> g.rank(position)).orElse(position);
    }

    /** A node of the chunk's trace is complete. */
    void nodeDone(Stream stream, int node) {
        CustomRun run = stream.custom;
        if (run == null) {
            throw new IllegalStateException("no custom collective runs");
        }
        run.running--;
        run.done++;
        RankTrace trace = run.trace;
        for (int i = trace.childStart[node]; i < trace.childStart[node + 1]; i++) {
            int child = trace.children[i];
            if (--run.waitsFor[child] == 0) {
                issue(stream, run, child);
            }
        }
        if (run.running == 0) {
            collectives.phaseEnds(stream);
        }
    }

    @Override
    public void received(Stream stream) {
        throw new IllegalStateException("a custom collective hears of its nodes");
    }

    @Override
    public void passed(Stream stream) {
        throw new IllegalStateException("a custom collective has no packets");
    }
}
