package dev.stagesim.feature.fabric;

import dev.stagesim.settings.SpreadSettings;
import dev.stagesim.sim.capacity.Spread;
import dev.stagesim.stats.Interval;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Ranges of all figures of a plan and of its phases, from the plans that draws lead to.
 *
 * @param sigma relative standard deviation of throughput
 */
record PlanRanges(SpreadSettings settings, double sigma) {
    /**
     * The plan with its ranges.
     *
     * @param drawn the same deployment with throughput, power, price and carbon intensity as drawn
     */
    FabricPlan of(FabricPlan plan, NodeCosts nodeCosts, Function<Spread.Draw, FabricPlan> drawn) {
        Spread draws = new Spread(
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
            ranges.put(name, enclosing(flat[next++], plan.figure(name)));
        }
        List<Map<String, Interval>> phases = new ArrayList<>();
        for (int i = 0; i < plan.phases().size(); i++) {
            Map<String, Interval> phase = new LinkedHashMap<>();
            for (Map.Entry<String, Double> figure : PhaseMetrics.of(plan, i).entrySet()) {
                phase.put(figure.getKey(), enclosing(flat[next++], figure.getValue()));
            }
            phases.add(phase);
        }
        return plan.with(ranges, phases);
    }

    /** A range that holds the estimate: whole nodes can put it at the edge of what the draws lead to, or just beyond. */
    private static Interval enclosing(Interval range, double estimate) {
        return new Interval(Math.min(range.low(), estimate), Math.max(range.high(), estimate));
    }

    /** Figures of the plan, then of its phases. */
    private static double[] values(FabricPlan plan, List<String> names) {
        List<Double> values = new ArrayList<>();
        names.forEach(name -> values.add(plan.figure(name)));
        for (int i = 0; i < plan.phases().size(); i++) {
            values.addAll(PhaseMetrics.of(plan, i).values());
        }
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
