package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.engine.ClusterSim;
import dev.stagesim.feature.cluster.engine.RoutingPolicyOverride;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.serving.evidence.PublishedErrors;
import dev.stagesim.sim.serving.metrics.SustainedLoad.Verdict;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.stage.Oracle;
import dev.stagesim.stage.OracleContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Returns the metrics of a cluster without artifacts. */
final class ClusterOracle implements Oracle<ClusterSimSettings> {
    @Override
    public SortedMap<String, Double> known(ClusterSimSettings settings) {
        return known(PoolPlans.of(settings, 1));
    }

    private static SortedMap<String, Double> known(List<PoolPlan> pools) {
        SortedMap<String, Double> known = new TreeMap<>();
        double devices = 0;
        Optional<Double> usd = Optional.of(0.0);
        for (PoolPlan pool : pools) {
            HardwareCard hardware = pool.replica().hardware();
            devices += pool.devices();
            usd = usd.flatMap(sum -> hardware.costs().priceUsdHrTyp().map(price -> sum + price * pool.devices()));
        }
        if (pools.stream().allMatch(pool -> pool.scaling().isEmpty())) {
            known.put("devices", devices);
        }
        usd.ifPresent(price -> known.put("usd_per_hour", price));
        return known;
    }

    @Override
    public List<String> notes(ClusterSimSettings settings, OracleContext context) throws IOException {
        List<PoolPlan> pools = PoolPlans.of(settings, 1);
        List<String> notes = new ArrayList<>(
                ServingInput.loadNotes(context, ClusterStage.WORKLOAD, settings.workload(), settings.arrival()));
        notes.addAll(ClusterStage.notes(pools, context.choice("cluster")));
        ClusterStage.presetFailures(settings, context::isSet).ifPresent(notes::add);
        ClusterStage.evidence(pools, PublishedErrors.read(context.home())).ifPresent(notes::add);
        return notes;
    }

    @Override
    public SortedMap<String, Double> figures(ClusterSimSettings settings, OracleContext context) throws IOException {
        ServingInput input = ServingInput.of(context, ClusterStage.WORKLOAD);
        RequestTrace trace = input.trace();
        List<PoolPlan> pools = ClusterStage.pools(settings, input);
        ClusterSim sim = ClusterStage.sim(settings, pools, trace, RoutingPolicyOverride.NONE);
        sim.run();
        ClusterFigures figures = new ClusterFigures(sim, pools, trace, settings.cluster());
        SortedMap<String, Double> all = known(pools);
        all.putAll(figures.all());
        if (trace.closedLoop().isEmpty()) {
            all.put("saturated", figures.load() == Verdict.SATURATED ? 1.0 : 0.0);
            all.put("too_short", figures.load() == Verdict.TOO_SHORT ? 1.0 : 0.0);
        }
        all.values().removeIf(value -> !Double.isFinite(value));
        return all;
    }
}
