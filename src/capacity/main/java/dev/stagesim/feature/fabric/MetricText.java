package dev.stagesim.feature.fabric;

import dev.stagesim.feature.fabric.performance.TargetPlacement;
import dev.stagesim.report.DataTable.Cell;
import dev.stagesim.report.Numbers;
import dev.stagesim.stats.Interval;
import java.util.Optional;

/** Formats metrics, settings and candidates for reports. */
final class MetricText {
    static final int DIGITS = 3;

    private MetricText() {}

    static String label(String name) {
        return switch (name) {
            case FabricPlan.USD_TOTAL -> "Cost of the schedule (USD)";
            case FabricPlan.USD_PER_MTOK -> "Cost per million tokens (USD)";
            case FabricPlan.TTFT -> "Time to first token, P99, worst phase (ms)";
            case FabricPlan.TPOT -> "Time per output token, P99, worst phase (ms)";
            case FabricPlan.STEP -> "Step time (ms)";
            case FabricPlan.TOKENS -> "Tokens per second, mean";
            case FabricPlan.ENERGY -> "Energy (kWh)";
            case FabricPlan.POWER -> "Mean power (kW)";
            case FabricPlan.CARBON -> "Carbon dioxide (kg)";
            case FabricPlan.NODES -> "Nodes, peak";
            case FabricPlan.UTILIZATION -> "Utilisation of the nodes (%)";
            default -> name;
        };
    }

    /** Returns a label short enough for a column heading. */
    static String heading(String name) {
        return switch (name) {
            case FabricPlan.USD_TOTAL -> "Schedule (USD)";
            case FabricPlan.USD_PER_MTOK -> "USD per million tokens";
            case FabricPlan.TTFT -> "TTFT P99 (ms)";
            case FabricPlan.TPOT -> "TPOT P99 (ms)";
            case FabricPlan.STEP -> "Step (ms)";
            case FabricPlan.TOKENS -> "Tokens/s";
            case FabricPlan.POWER -> "Power (kW)";
            case FabricPlan.CARBON -> "CO₂ (kg)";
            case FabricPlan.NODES -> "Nodes";
            case FabricPlan.UTILIZATION -> "Utilisation (%)";
            default -> label(name);
        };
    }

    static String value(String name, double value) {
        return switch (name) {
            case FabricPlan.NODES, PhaseMetrics.NODES -> Numbers.count(Math.round(value));
            case FabricPlan.UTILIZATION -> Numbers.fixed(value, 0);
            case FabricPlan.USD_TOTAL, FabricPlan.ENERGY, FabricPlan.CARBON, FabricPlan.TOKENS -> rounded(value);
            default -> Numbers.significant(value, DIGITS);
        };
    }

    /** Rounds to three significant digits. */
    static String rounded(double value) {
        if (value < 100) {
            return Numbers.significant(value, DIGITS);
        }
        double unit = Math.pow(10, Math.floor(Math.log10(value)) - DIGITS + 1);
        return Numbers.count(Math.round(Math.round(value / unit) * unit));
    }

    static String usd(double value) {
        return rounded(value) + Numbers.SPACE + "USD";
    }

    /** Formats a price with its range in parentheses. */
    static String usd(FabricPlan plan, String name) {
        Interval range = plan.ranges().get(name);
        String between = range == null ? "" : between(name, range);
        return value(name, plan.metric(name)) + Numbers.SPACE + "USD" + (between.isEmpty() ? "" : " (" + between + ")");
    }

    /** Formats a range; empty if both ends have the same text. */
    static String between(String name, Interval range) {
        String low = value(name, range.low());
        String high = value(name, range.high());
        return low.equals(high) ? "" : low + " to " + high;
    }

    /** Formats a metric with its range and a link to its source, or to {@code fallback} if a formula computed it. */
    static Cell cell(FabricPlan plan, String name, String fallback) {
        return plan.has(name)
                ? metric(
                        name,
                        plan.metric(name),
                        Optional.ofNullable(plan.ranges().get(name)),
                        Provenance.of(plan, name),
                        fallback)
                : Cell.of(Numbers.NONE).tone("faint");
    }

    static Cell metric(String name, double value, Optional<Interval> range, String link, String fallback) {
        Cell cell = Cell.of(value(name, value)).link(link.isEmpty() ? fallback : link);
        return range.map(of -> between(name, of))
                .filter(text -> !text.isEmpty())
                .map(cell::note)
                .orElse(cell);
    }

    /** Describes parallelism, scheduler and batch. */
    static String setting(FabricPlan plan) {
        TargetPlacement deployment = plan.deployment();
        return "TP " + deployment.tp() + (deployment.pp() > 1 ? ", PP " + deployment.pp() : "") + ", "
                + CandidateTable.policy(plan);
    }

    /** Describes target, settings and load. */
    static String describe(FabricPlan plan) {
        return plan.deployment().target().name() + ", " + setting(plan)
                + (plan.detail() > 0
                        ? ", " + Numbers.plain(plan.load()) + (plan.load() == 1 ? " node" : " nodes")
                        : ", utilisation " + Numbers.fixed(100 * plan.load(), 0) + Numbers.SPACE + "%");
    }
}
