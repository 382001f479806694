package dev.stagesim.feature.fabric;

import dev.stagesim.feature.fabric.performance.TargetPlacement;
import dev.stagesim.sim.capacity.ScheduleCost;
import dev.stagesim.stats.Interval;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Resources, cost and latency of a deployment over a schedule.
 *
 * @param deployment machines and settings
 * @param load target utilisation when serving; number of nodes in training
 * @param detail microbatch in training; 0 when serving
 * @param refusal why the deployment cannot run; empty if it can
 * @param total nodes, cost, energy and carbon
 * @param phases latency of each phase
 * @param metrics metrics by name, in the order of {@link #NAMES}
 * @param ranges ranges of the metrics; empty if not computed
 * @param phaseRanges ranges of the metrics of each phase, by the names of {@link PhaseMetrics}; empty if not computed
 */
record FabricPlan(
        TargetPlacement deployment,
        double load,
        int detail,
        Optional<String> refusal,
        Optional<ScheduleCost.Total> total,
        List<Phase> phases,
        Map<String, Double> metrics,
        Map<String, Interval> ranges,
        List<Map<String, Interval>> phaseRanges) {
    static final String USD_TOTAL = "cost_usd";
    static final String USD_PER_MTOK = "cost_usd_per_mtok";
    static final String TTFT = "ttft_p99_ms";
    static final String TPOT = "tpot_p99_ms";
    static final String STEP = "step_ms";
    static final String TOKENS = "tokens_per_s";
    static final String ENERGY = "energy_kwh";
    static final String POWER = "power_mean_kw";
    static final String CARBON = "co2_kg";
    static final String NODES = "peak_nodes";
    static final String UTILIZATION = "utilization_percent";

    /** Names of the metrics in report order, with the unit last. */
    static final List<String> NAMES =
            List.of(USD_TOTAL, USD_PER_MTOK, TTFT, TPOT, STEP, TOKENS, POWER, ENERGY, CARBON, NODES, UTILIZATION);

    FabricPlan {
        phases = List.copyOf(phases);
        metrics = Map.copyOf(metrics);
        ranges = Map.copyOf(ranges);
        phaseRanges = List.copyOf(phaseRanges);
    }

    /** Creates a plan without ranges. */
    FabricPlan(
            TargetPlacement deployment,
            double load,
            int detail,
            Optional<String> refusal,
            Optional<ScheduleCost.Total> total,
            List<Phase> phases,
            Map<String, Double> metrics) {
        this(deployment, load, detail, refusal, total, phases, metrics, Map.of(), List.of());
    }

    /**
     * One phase of the schedule.
     *
     * @param rate requests per second; 0 in training
     * @param copies copies of the model that serve it
     * @param capacityRun link to the source of the capacity of a copy; empty for the closed form
     * @param serviceRun link to the source of the latencies; empty for the closed form
     */
    record Phase(
            String name,
            double minutes,
            double rate,
            int copies,
            double p50TtftMs,
            double p99TtftMs,
            double p50TpotMs,
            double p99TpotMs,
            String capacityRun,
            String serviceRun) {}

    static FabricPlan refused(TargetPlacement deployment, double load, int detail, String why) {
        return new FabricPlan(deployment, load, detail, Optional.of(why), Optional.empty(), List.of(), Map.of());
    }

    FabricPlan with(Map<String, Interval> newRanges, List<Map<String, Interval>> newPhaseRanges) {
        return new FabricPlan(deployment, load, detail, refusal, total, phases, metrics, newRanges, newPhaseRanges);
    }

    /** Returns the range of a metric of a phase; empty if not computed. */
    Optional<Interval> phaseRange(int phase, String metric) {
        return phaseRanges.isEmpty()
                ? Optional.empty()
                : Optional.ofNullable(phaseRanges.get(phase).get(metric));
    }

    boolean has(String metric) {
        return metrics.containsKey(metric);
    }

    double metric(String name) {
        Double value = metrics.get(name);
        if (value == null) {
            throw new IllegalStateException("no metric " + name);
        }
        return value;
    }

    /** Returns the phase with the maximum value. */
    Phase worst(java.util.function.ToDoubleFunction<Phase> value) {
        return phases.stream().max(java.util.Comparator.comparingDouble(value)).orElseThrow();
    }

    ScheduleCost.Total totals() {
        return total.orElseThrow();
    }
}
