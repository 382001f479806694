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

/** Targets side by side, and the schedule of the one asked about, phase by phase. */
record TargetTables(FabricStageSettings settings, FabricResult result) {
    private static final String RECORD = "fabric.json";
    private static final double MINUTES_PER_HOUR = 60;

    /** Targets side by side, one row each; under each figure its range. */
    DataTable sideBySide() {
        DataTable table = new DataTable("Every target over the whole schedule").text("Target");
        List<String> names = FabricPlan.NAMES.stream()
                .filter(name -> !name.equals(FabricPlan.ENERGY))
                .filter(name ->
                        !name.equals(FabricPlan.TOKENS) || !result.entry().isServed())
                .filter(name -> result.plans().stream().anyMatch(plan -> plan.has(name)))
                .toList();
        names.forEach(name -> table.number(ownHeading(name), ownLabel(name)));
        table.text("Limits");
        for (int i = 0; i < result.plans().size(); i++) {
            FabricPlan plan = result.plans().get(i);
            List<Cell> cells = new ArrayList<>();
            Cell name = Cell.of(plan.deployment().target().name());
            cells.add(result.best() ? name.note(MetricText.setting(plan)) : name);
            names.forEach(figure -> cells.add(MetricText.cell(plan, figure, RECORD)));
            cells.add(verdict(plan, result.broken().get(i)));
            table.row(cells);
        }
        return table;
    }

    private Cell verdict(FabricPlan plan, List<String> broken) {
        if (plan.refusal().isPresent()) {
            return Cell.of("cannot run").tone("bad").hint(plan.refusal().get());
        }
        if (broken.isEmpty() && !settings.slo().isAny()) {
            return Cell.of("none").tone("faint").hint("no limit was set, see slo");
        }
        return broken.isEmpty()
                ? Cell.of("held").tone("good")
                : Cell.of("broken").tone("bad").hint(String.join("; ", broken));
    }

    /** Nodes of training are always busy: what counts is how much of their peak the model's operations take. */
    private String ownHeading(String name) {
        return name.equals(FabricPlan.UTILIZATION) && !result.entry().isServed()
                ? "Of peak (%)"
                : MetricText.heading(name);
    }

    /** A label that says of which kind of work a figure is. */
    private String ownLabel(String name) {
        return name.equals(FabricPlan.UTILIZATION) && !result.entry().isServed()
                ? "The model's operations, of the accelerators' 16-bit peak (%)"
                : MetricText.label(name);
    }

    /** Phases of the target asked about. */
    DataTable phases() {
        FabricPlan plan = result.asked();
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
            names.forEach(name -> cells.add(MetricText.figure(
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

    /** The copies that the entry names, as the event-by-event simulator of whole clusters saw them. */
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

    /** A latency as sure as those of the target asked about: all of them go with throughput. */
    private Cell latency(double ms, StatedRun run) {
        FabricPlan asked = result.asked();
        Optional<Interval> range = Optional.ofNullable(asked.ranges().get(FabricPlan.TTFT))
                .map(known -> new Interval(
                        ms * known.low() / asked.figure(FabricPlan.TTFT),
                        ms * known.high() / asked.figure(FabricPlan.TTFT)));
        return MetricText.figure(FabricPlan.TTFT, ms, range, run.link(), RECORD);
    }
}
