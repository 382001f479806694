package dev.stagesim.feature.fabric;

import dev.stagesim.sim.capacity.ScheduleCost;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Figures of one phase of a plan, by name with the unit last. */
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

    /** All of them in order; a phase of training has neither load nor latency. */
    static Map<String, Double> of(FabricPlan plan, int number) {
        FabricPlan.Phase phase = plan.phases().get(number);
        ScheduleCost.Phase cost = plan.totals().phases().get(number);
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put(NODES, (double) cost.nodes());
        if (plan.has(FabricPlan.TTFT)) {
            figures.put(UTILIZATION, PERCENT * cost.utilization());
        }
        figures.put(USD, cost.usd());
        figures.put(ENERGY, cost.kwh());
        figures.put(CARBON, cost.kg());
        if (plan.has(FabricPlan.TTFT)) {
            figures.put(TTFT_P50, phase.p50TtftMs());
            figures.put(TTFT_P99, phase.p99TtftMs());
            figures.put(TPOT_P50, phase.p50TpotMs());
            figures.put(TPOT_P99, phase.p99TpotMs());
        }
        return figures;
    }

    /** What a figure rests on; empty for the closed-form model. */
    static String evidence(FabricPlan.Phase phase, String figure) {
        return SERVICE.contains(figure) ? phase.serviceRun() : phase.capacityRun();
    }
}
