package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.SpreadSettings;
import dev.stagesim.sim.capacity.MonteCarloRanges;
import dev.stagesim.stats.Interval;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Computes ranges of all metrics of a plan by Monte Carlo draws.
 *
 * @param sigma relative standard deviation of throughput
 */
record PlanRanges(SpreadSettings settings, double sigma) {
    /**
     * Returns the plan with its ranges.
     *
     * @param drawn plans the same deployment with a draw of throughput, power, price and carbon intensity
     */
    FabricPlan of(FabricPlan plan, NodeCosts nodeCosts, Function<MonteCarloRanges.Draw, FabricPlan> drawn) {
        MonteCarloRanges draws = new MonteCarloRanges(
                sigma,
                settings.power(),
                nodeCosts.price(),
                nodeCosts.carbon(),
                settings.draws(),
                settings.level(),
                settings.seed());
        List<String> names = FabricPlan.NAMES.stream().filter(plan::has).toList();
        Interval[] flat = draws.ranges(draw -> values(drawn.apply(draw), names));
        int next = 0;
        Map<String, Interval> ranges = new LinkedHashMap<>();
        for (String name : names) {
            ranges.put(name, enclosing(flat[next++], plan.metric(name)));
        }
        List<Map<String, Interval>> phases = new ArrayList<>();
        for (int i = 0; i < plan.phases().size(); i++) {
            Map<String, Interval> phase = new LinkedHashMap<>();
            for (Map.Entry<String, Double> metric : PhaseMetrics.of(plan, i).entrySet()) {
                phase.put(metric.getKey(), enclosing(flat[next++], metric.getValue()));
            }
            phases.add(phase);
        }
        return plan.with(ranges, phases);
    }

    /** Extends a range to include the estimate, which can be at its edge because nodes are whole. */
    private static Interval enclosing(Interval range, double estimate) {
        return new Interval(Math.min(range.low(), estimate), Math.max(range.high(), estimate));
    }

    /** Returns the metrics of the plan, followed by the metrics of its phases. */
    private static double[] values(FabricPlan plan, List<String> names) {
        List<Double> values = new ArrayList<>();
        names.forEach(name -> values.add(plan.metric(name)));
        for (int i = 0; i < plan.phases().size(); i++) {
            values.addAll(PhaseMetrics.of(plan, i).values());
        }
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
