package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.TraceFiles;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.result.SimulationObserver;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.stage.StageContext;
import java.util.Optional;

/** Observer of a run: records data for artifacts, shows progress, and stops the run at its time limit. */
final class Recorder implements SimulationObserver {
    private static final double MILLION = 1e6;
    private static final long NS_PER_MICRO = 1000;

    private final StageContext context;
    private final NodeLog nodes;
    private final Optional<Matrix> matrix;
    private final Optional<LinkLoad> load;
    private final CollectiveRates rates = new CollectiveRates();
    private final long stopAt;
    private final int npus;

    Recorder(
            StageContext context,
            TraceFiles.Ranks ranks,
            AstraSimSettings.SimulationKeys settings,
            NetworkPlan network) {
        this.load = network.linkless().map(LinkLoad::new);
        this.context = context;
        this.nodes = new NodeLog(ranks, settings.timelineNpus());
        this.matrix = settings.matrix() || settings.report() ? Optional.of(new Matrix()) : Optional.empty();
        this.stopAt = settings.stopAtNs().orElse(Long.MAX_VALUE);
        this.npus = ranks.traces().size();
    }

    NodeLog nodes() {
        return nodes;
    }

    Optional<Matrix> matrix() {
        return matrix;
    }

    CollectiveRates rates() {
        return rates;
    }

    /** A warning if links carried more than their capacity, for networks with and without explicit links. */
    Optional<String> excess(SimulationResult result, long ns) {
        // Once per pair instead of once per message.
        load.ifPresent(links -> matrix.ifPresent(pairs -> pairs.inAnyOrder(links::add)));
        return load.isPresent() ? load.get().excess(ns) : LinkLoad.excess(result, ns);
    }

    @Override
    public void collective(CollectiveKind kind, int members, long bytes, long startNs, long endNs, int multiplicity) {
        rates.add(kind, members, bytes, endNs - startNs, multiplicity);
    }

    @Override
    public void node(int npu, int node, long startNs, long endNs) {
        nodes.add(npu, node, startNs, endNs);
    }

    @Override
    public void message(int source, int destination, long bytes, long nowNs) {
        traffic(source, destination, 1, bytes);
    }

    @Override
    public void traffic(int source, int destination, long messages, long bytes) {
        if (matrix.isPresent()) {
            matrix.get().add(source, destination, messages, bytes);
        } else {
            load.ifPresent(links -> links.add(source, destination, messages, bytes));
        }
    }

    @Override
    public void restarts() {
        nodes.clear();
        matrix.ifPresent(Matrix::clear);
        load.ifPresent(LinkLoad::clear);
        rates.clear();
    }

    @Override
    public long stopsAfter() {
        return stopAt;
    }

    @Override
    public boolean needsMessages() {
        return matrix.isPresent() || load.isPresent();
    }

    @Override
    public boolean progress(long nowNs, long events, int finishedNpus) {
        String what = "NPUs done at " + Numbers.count(nowNs / NS_PER_MICRO) + " µs simulated, "
                + Math.round(events / MILLION) + " million events";
        context.progress(what, finishedNpus, npus);
        return true;
    }
}
