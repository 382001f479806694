package dev.stagesim.feature.fabric;

import dev.stagesim.feature.fabric.performance.StatedRun;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.DataTable.Cell;
import dev.stagesim.report.Numbers;
import dev.stagesim.stats.Interval;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tables of all targets, and of the phases of the requested target. */
record TargetTables(FabricStageSettings settings, FabricResult result) {
    private static final String RECORD = "fabric.json";
    private static final double MINUTES_PER_HOUR = 60;

    /** Returns one row per target, with ranges. */
    DataTable sideBySide() {
        DataTable table = new DataTable("All targets over the whole schedule").text("Target");
        List<String> names = FabricPlan.NAMES.stream()
                .filter(name -> !name.equals(FabricPlan.ENERGY))
                .filter(name ->
                        !name.equals(FabricPlan.TOKENS) || !result.entry().isServed())
                .filter(name -> result.plans().stream().anyMatch(plan -> plan.has(name)))
                .toList();
        names.forEach(name -> table.number(headingOf(name), labelOf(name)));
        table.text("SLO");
        for (int i = 0; i < result.plans().size(); i++) {
            FabricPlan plan = result.plans().get(i);
            List<Cell> cells = new ArrayList<>();
            Cell name = Cell.of(plan.deployment().target().name());
            cells.add(result.best() ? name.note(MetricText.setting(plan)) : name);
            names.forEach(metric -> cells.add(MetricText.cell(plan, metric, RECORD)));
            cells.add(verdict(plan, result.violations().get(i)));
            table.row(cells);
        }
        return table;
    }

    private Cell verdict(FabricPlan plan, List<String> violations) {
        if (plan.refusal().isPresent()) {
            return Cell.of("cannot run").tone("bad").hint(plan.refusal().get());
        }
        if (violations.isEmpty() && !settings.operation().slo().isAny()) {
            return Cell.of("none").tone("faint").hint("slo has no limit");
        }
        return violations.isEmpty()
                ? Cell.of("met").tone("good")
                : Cell.of("violated").tone("bad").hint(String.join("; ", violations));
    }

    /** Training nodes are always busy, so their utilisation is the share of peak operations. */
    private String headingOf(String name) {
        return name.equals(FabricPlan.UTILIZATION) && !result.entry().isServed()
                ? "Of peak (%)"
                : MetricText.heading(name);
    }

    /** Returns the label of a metric for this kind of workload. */
    private String labelOf(String name) {
        return name.equals(FabricPlan.UTILIZATION) && !result.entry().isServed()
                ? "Operations of the model as a share of the 16-bit peak (%)"
                : MetricText.label(name);
    }

    /** Returns the phases of the requested target. */
    DataTable phases() {
        FabricPlan plan = result.requested();
        DataTable table =
                new DataTable("Phases on " + plan.deployment().target().name()).columns("Phase", "#Hours");
        boolean served = result.entry().isServed();
        if (served) {
            table.number("Requests/s");
        }
        List<String> names = PhaseMetrics.of(plan, 0).keySet().stream()
                .filter(name -> !name.equals(PhaseMetrics.TTFT_P50) && !name.equals(PhaseMetrics.TPOT_P50))
                .toList();
        names.forEach(name -> table.number(phaseHeading(name)));
        for (int i = 0; i < plan.phases().size(); i++) {
            FabricPlan.Phase phase = plan.phases().get(i);
            int number = i;
            List<Cell> cells = new ArrayList<>();
            cells.add(Cell.of(phase.name()));
            cells.add(Cell.of(Numbers.plain(Math.round(100 * phase.minutes() / MINUTES_PER_HOUR) / 100.0)));
            if (served) {
                cells.add(Cell.of(Numbers.significant(phase.rate(), MetricText.DIGITS)));
            }
            Map<String, Double> values = PhaseMetrics.of(plan, i);
            names.forEach(name -> cells.add(MetricText.metric(
                    name,
                    values.getOrDefault(name, 0.0),
                    plan.phaseRange(number, name),
                    PhaseMetrics.evidence(phase, name),
                    RECORD)));
            table.row(cells);
        }
        return table;
    }

    private static String phaseHeading(String name) {
        return switch (name) {
            case PhaseMetrics.NODES -> "Nodes";
            case PhaseMetrics.USD -> "Cost (USD)";
            case PhaseMetrics.ENERGY -> "Energy (kWh)";
            default -> MetricText.heading(name);
        };
    }

    /** Returns the simulation of the stated copies as one cluster. */
    DataTable stated(StatedRun run) {
        DataTable table = new DataTable("The " + result.entry().parallelism().dp()
                        + " copies that the workload states, simulated as one cluster")
                .columns("Phase", "#Requests", "#TTFT P50 (ms)", "#TTFT P99 (ms)", "#TPOT P50 (ms)", "#TPOT P99 (ms)");
        for (StatedRun.Phase phase : run.phases()) {
            table.row(List.of(
                    Cell.of(phase.name()),
                    Cell.of(Numbers.count(phase.requests())),
                    latency(phase.p50TtftMs(), run),
                    latency(phase.p99TtftMs(), run),
                    latency(phase.p50TpotMs(), run),
                    latency(phase.p99TpotMs(), run)));
        }
        return table;
    }

    /** Scales a latency to the range of the requested target, because all latencies scale with throughput. */
    private Cell latency(double ms, StatedRun run) {
        FabricPlan requested = result.requested();
        Optional<Interval> range = Optional.ofNullable(requested.ranges().get(FabricPlan.TTFT))
                .map(known -> new Interval(
                        ms * known.low() / requested.metric(FabricPlan.TTFT),
                        ms * known.high() / requested.metric(FabricPlan.TTFT)));
        return MetricText.metric(FabricPlan.TTFT, ms, range, run.link(), RECORD);
    }
}
