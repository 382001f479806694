package dev.stagesim.feature.fabric;

import dev.stagesim.sim.capacity.ScheduleCost;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Metrics of one phase of a plan; names end with the unit. */
final class PhaseMetrics {
    static final String NODES = "nodes";
    static final String UTILIZATION = "utilization_percent";
    static final String USD = "cost_usd";
    static final String ENERGY = "energy_kwh";
    static final String CARBON = "co2_kg";
    static final String TTFT_P50 = "ttft_p50_ms";
    static final String TTFT_P99 = "ttft_p99_ms";
    static final String TPOT_P50 = "tpot_p50_ms";
    static final String TPOT_P99 = "tpot_p99_ms";

    private static final List<String> SERVICE = List.of(TTFT_P50, TTFT_P99, TPOT_P50, TPOT_P99);
    private static final double PERCENT = 100;

    private PhaseMetrics() {}

    /** Returns the metrics in report order. A training phase has neither load nor latency. */
    static Map<String, Double> of(FabricPlan plan, int number) {
        FabricPlan.Phase phase = plan.phases().get(number);
        ScheduleCost.Phase cost = plan.totals().phases().get(number);
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put(NODES, (double) cost.nodes());
        if (plan.has(FabricPlan.TTFT)) {
            metrics.put(UTILIZATION, PERCENT * cost.utilization());
        }
        metrics.put(USD, cost.usd());
        metrics.put(ENERGY, cost.kwh());
        metrics.put(CARBON, cost.kg());
        if (plan.has(FabricPlan.TTFT)) {
            metrics.put(TTFT_P50, phase.p50TtftMs());
            metrics.put(TTFT_P99, phase.p99TtftMs());
            metrics.put(TPOT_P50, phase.p50TpotMs());
            metrics.put(TPOT_P99, phase.p99TpotMs());
        }
        return metrics;
    }

    /** Returns the link to the source of a metric; empty for the closed form. */
    static String evidence(FabricPlan.Phase phase, String metric) {
        return SERVICE.contains(metric) ? phase.serviceRun() : phase.capacityRun();
    }
}
