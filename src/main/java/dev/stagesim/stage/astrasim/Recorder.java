package dev.stagesim.stage.astrasim;

import dev.stagesim.sim.collective.RankTrace;
import dev.stagesim.sim.collective.SimulationObserver;
import dev.stagesim.sim.network.Network;
import dev.stagesim.stage.StageContext;
import java.util.List;
import java.util.Optional;

/** Watches a run: keeps what artifacts need, shows how far it is, and stops it when its time is up. */
final class Recorder implements SimulationObserver {
    private static final double MILLION = 1e6;

    private final StageContext context;
    private final Network network;
    private final NodeLog nodes;
    private final Optional<Matrix> matrix;
    private final long stopAt;
    private final int npus;
    private boolean isStopped;

    Recorder(
            StageContext context, Network network, List<RankTrace> traces, AstraSimSettings.SimulationKeys settings) {
        this.context = context;
        this.network = network;
        this.nodes = new NodeLog(traces, settings.timelineNpus());
        this.matrix = settings.matrix() || settings.report() ? Optional.of(new Matrix()) : Optional.empty();
        this.stopAt = settings.stopAtNs().orElse(Long.MAX_VALUE);
        this.npus = traces.size();
    }

    NodeLog nodes() {
        return nodes;
    }

    Optional<Matrix> matrix() {
        return matrix;
    }

    /** Whether the run was ended before its time. */
    boolean isStopped() {
        return isStopped;
    }

    @Override
    public void node(int npu, int node, long startNs, long endNs) {
        if (endNs > stopAt) {
            stop();
        } else {
            nodes.add(npu, node, startNs, endNs);
        }
    }

    @Override
    public void message(int source, int destination, long bytes, long nowNs) {
        if (nowNs > stopAt) {
            stop();
        } else {
            matrix.ifPresent(pairs -> pairs.add(source, destination, bytes));
        }
    }

    private void stop() {
        isStopped = true;
        network.stop();
    }

    @Override
    public boolean wantsMessages() {
        return matrix.isPresent() || stopAt < Long.MAX_VALUE;
    }

    @Override
    public boolean progress(long nowNs, long events, int finishedNpus) {
        String what = "NPUs done at " + Math.round(nowNs / MILLION) + " ms simulated, " + Math.round(events / MILLION)
                + " million events";
        context.progress(what, finishedNpus, npus);
        if (nowNs > stopAt) {
            isStopped = true;
            return false;
        }
        return true;
    }
}
