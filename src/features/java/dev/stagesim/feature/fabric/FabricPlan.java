package dev.stagesim.feature.fabric;

import dev.stagesim.feature.fabric.performance.TargetPlacement;
import dev.stagesim.sim.capacity.ScheduleCost;
import dev.stagesim.stats.Interval;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a deployment takes over a whole schedule.
 *
 * @param deployment machines and settings
 * @param load share of capacity that a node is to carry, or 0 in training
 * @param detail microbatch of training; 0 when serving
 * @param refusal why it cannot run at all; empty when it can
 * @param total nodes, money, energy and carbon
 * @param phases latency of each phase
 * @param figures headline figures by name, in the order of {@link #NAMES}
 * @param ranges their ranges; empty where they were not worked out
 * @param phaseRanges ranges of each phase's figures by the names of {@link PhaseMetrics}; empty likewise
 */
record FabricPlan(
        TargetPlacement deployment,
        double load,
        int detail,
        Optional<String> refusal,
        Optional<ScheduleCost.Total> total,
        List<Phase> phases,
        Map<String, Double> figures,
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

    /** Names of figures, unit last, in order. */
    static final List<String> NAMES =
            List.of(USD_TOTAL, USD_PER_MTOK, TTFT, TPOT, STEP, TOKENS, POWER, ENERGY, CARBON, NODES, UTILIZATION);

    FabricPlan {
        phases = List.copyOf(phases);
        figures = Map.copyOf(figures);
        ranges = Map.copyOf(ranges);
        phaseRanges = List.copyOf(phaseRanges);
    }

    /** A plan without ranges. */
    FabricPlan(
            TargetPlacement deployment,
            double load,
            int detail,
            Optional<String> refusal,
            Optional<ScheduleCost.Total> total,
            List<Phase> phases,
            Map<String, Double> figures) {
        this(deployment, load, detail, refusal, total, phases, figures, Map.of(), List.of());
    }

    /**
     * A phase.
     *
     * @param rate requests per second; 0 in training
     * @param copies copies of the model that serve it
     * @param capacityRun link to what says how much a copy carries; empty for the closed-form model
     * @param serviceRun link to what says how fast it answers
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
        return new FabricPlan(deployment, load, detail, refusal, total, phases, figures, newRanges, newPhaseRanges);
    }

    /** The range of a phase's figure, where it was worked out. */
    Optional<Interval> phaseRange(int phase, String figure) {
        return phaseRanges.isEmpty()
                ? Optional.empty()
                : Optional.ofNullable(phaseRanges.get(phase).get(figure));
    }

    boolean has(String figure) {
        return figures.containsKey(figure);
    }

    double figure(String name) {
        Double value = figures.get(name);
        if (value == null) {
            throw new IllegalStateException("no figure " + name);
        }
        return value;
    }

    /** The phase with the greatest value. */
    Phase worst(java.util.function.ToDoubleFunction<Phase> value) {
        return phases.stream().max(java.util.Comparator.comparingDouble(value)).orElseThrow();
    }

    ScheduleCost.Total totals() {
        return total.orElseThrow();
    }
}
