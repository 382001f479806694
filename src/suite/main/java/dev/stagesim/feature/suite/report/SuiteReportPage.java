package dev.stagesim.feature.suite.report;

import static dev.stagesim.model.Nanos.NS_PER_MS;
import static dev.stagesim.model.Nanos.NS_PER_S;
import static dev.stagesim.model.Nanos.NS_PER_US;

import dev.stagesim.feature.suite.compare.SuiteErrorTables;
import dev.stagesim.feature.suite.measured.Efficiencies;
import dev.stagesim.feature.suite.measured.MeasuredOp;
import dev.stagesim.feature.suite.measured.MeasuredWorkload;
import dev.stagesim.feature.suite.measured.PredictionError;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.DataTable.Cell;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.report.Report.Tone;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** Suite report as text and as one HTML page. */
final class SuiteReportPage {
    private static final int SLOWEST = 5;
    private static final int DIGITS = 4;

    private final List<PredictionError> rows;
    private final Efficiencies all;
    private final long minLayerNs;

    SuiteReportPage(List<PredictionError> rows, Efficiencies all, long minLayerNs) {
        this.rows = rows;
        this.all = all;
        this.minLayerNs = minLayerNs;
    }

    private long count(Predicate<MeasuredWorkload> which) {
        return rows.stream().map(PredictionError::workload).filter(which).count();
    }

    private String sentence() {
        long repeated = count(workload -> workload.losses().size() > 1);
        long differing = count(workload -> !workload.hasEqualLosses());
        String measured = rows.size() == 1 ? "1 workload was measured" : rows.size() + " workloads were measured";
        if (repeated == 0) {
            return measured + ", each by one process, so losses were not compared.";
        }
        return measured
                + (differing == 0
                        ? "; losses were the same in all processes of every workload."
                        : "; losses differed between processes of " + differing + ".");
    }

    private List<String> sentences() {
        List<String> more = new ArrayList<>();
        more.add("Roofline and systolic array use no fit: a probe measured the rates on"
                + " the machine of each run. Fitted times are rooflines with the efficiency of each class of"
                + " operators, fitted on other families only.");
        more.add("Factors are medians over layers and directions of at least "
                + Numbers.significant(minLayerNs / NS_PER_US, 3)
                + " µs. Steps exclude the wait for input.");
        long compiled = count(workload -> workload.execution().isCompiled());
        if (compiled > 0) {
            more.add(compiled + " ran compiled (XLA) and are compared by whole steps only.");
        }
        long open = count(SuiteReportPage::isOpen);
        if (open > 0) {
            more.add("Of " + open
                    + " that one thread ran, operations and the time outside them do not add up to the step"
                    + " within 5 %.");
        }
        return more;
    }

    private static boolean isOpen(MeasuredWorkload workload) {
        return workload.execution().threads().equals("1 x 1")
                && workload.times().accounted() > 0
                && Math.abs(workload.times().accounted() - 1) > 0.05;
    }

    private static String millis(double ns) {
        return ns > 0 ? Numbers.significant(ns / NS_PER_MS, DIGITS) : Numbers.NONE;
    }

    private static String losses(MeasuredWorkload workload) {
        return workload.losses().size() == 1 ? "one process" : workload.hasEqualLosses() ? "equal" : "differ";
    }

    /** Formats the settings without line breaks. */
    private static String executionText(MeasuredWorkload.Execution execution) {
        return (execution.device() + ", " + execution.precision() + (execution.isCompiled() ? ", XLA" : "") + ", "
                        + execution.threads())
                .replace(" ", Numbers.SPACE);
    }

    private DataTable steps() {
        DataTable table = new DataTable("Times of a step in milliseconds, medians")
                .columns("Workload", "Family", "Execution, threads", "#Batch", "#Training step")
                .number("Noise", "Spread of the median steps of equal processes.")
                .number("Samples per second", "Batch over training step and wait for input.")
                .number("Wait for input", "Not part of the step.")
                .number("Forward pass")
                .number(
                        "Accounted for",
                        "Operations and the time outside them, divided by the step; above 100 % if they overlap.")
                .text("Losses");
        for (PredictionError row : rows) {
            MeasuredWorkload workload = row.workload();
            MeasuredWorkload.Times times = workload.times();
            double both = times.step() + times.input();
            table.row(List.of(
                    Cell.of(workload.label()),
                    Cell.of(workload.family()),
                    Cell.of(executionText(workload.execution())),
                    Cell.of(Numbers.count(workload.execution().batch())),
                    Cell.of(millis(times.step())),
                    Cell.of(workload.steps().length > 1 ? Numbers.share(workload.noise() * 100, 1) : Numbers.NONE),
                    Cell.of(
                            both > 0
                                    ? Numbers.significant(workload.execution().batch() * NS_PER_S / both, 3)
                                    : Numbers.NONE),
                    Cell.of(millis(times.input())),
                    Cell.of(millis(times.infer())),
                    Cell.of(times.accounted() > 0 ? Numbers.share(times.accounted() * 100, 1) : Numbers.NONE)
                            .tone(isOpen(workload) ? "bad" : ""),
                    Cell.of(losses(workload)).tone(workload.hasEqualLosses() ? "" : "bad")));
        }
        return table;
    }

    private DataTable predictions() {
        DataTable table = new DataTable("Predicted against measured, milliseconds in a step")
                .columns("Workload", "Family")
                .number("Layers, measured", "Operations that belong to layers; of a compiled step, the step.")
                .number("Roofline")
                .number("Systolic array", "Products only.")
                .number("Fitted on other families")
                .number("Roofline error factor", "Median over layers.")
                .number("Array error factor", "Median over layers with products.")
                .number("Fitted error factor", "Median over layers; the fit excludes the family.");
        for (PredictionError row : rows) {
            MeasuredWorkload workload = row.workload();
            double measured = workload.isByLayer()
                    ? workload.measured()
                    : workload.times().step();
            table.row(List.of(
                    Cell.of(workload.label()).note(workload.isByLayer() ? "" : "per step only"),
                    Cell.of(workload.family()),
                    Cell.of(millis(measured)),
                    Cell.of(millis(workload.roofline())),
                    Cell.of(millis(workload.systolic())),
                    Cell.of(row.heldOutNs().map(SuiteReportPage::millis).orElse(Numbers.NONE)),
                    Cell.of(SuiteErrorTables.factor(row.rooflineFold())),
                    Cell.of(SuiteErrorTables.factor(row.systolicFold())),
                    Cell.of(SuiteErrorTables.factor(row.heldOutFold()))));
        }
        return table;
    }

    private DataTable classes() {
        DataTable table = new DataTable("Achieved share of the roofline by operator class, all workloads")
                .columns("Class", "#Layers and directions", "#Share of roofline");
        all.classes()
                .forEach((type, fitted) ->
                        table.row(type, Numbers.count(fitted.layers()), Numbers.share(fitted.efficiency() * 100, 1)));
        return table;
    }

    private DataTable slowest() {
        DataTable table = new DataTable("Slowest operations")
                .columns("Workload", "Node", "Operation", "#Time (ms)", "#Of all operations");
        for (PredictionError row : rows) {
            MeasuredWorkload workload = row.workload();
            if (!workload.isByLayer()) {
                continue;
            }
            double sum = workload.ops().stream().mapToDouble(MeasuredOp::ns).sum();
            String label = workload.label();
            for (MeasuredOp op :
                    workload.ops().subList(0, Math.min(SLOWEST, workload.ops().size()))) {
                table.row(label, op.node(), op.kind(), millis(op.ns()), Numbers.share(100 * op.ns() / sum, 1));
            }
        }
        return table;
    }

    /** Substitutions with the affected workloads. */
    private DataTable substitutions() {
        Map<String, List<String>> by = new TreeMap<>();
        for (PredictionError row : rows) {
            for (String substitution : row.workload().substitutions()) {
                by.computeIfAbsent(substitution, key -> new ArrayList<>())
                        .add(row.workload().label());
            }
        }
        DataTable table = new DataTable("Substitutions").columns("Substitution", "#Workloads", "Workloads");
        by.forEach((substitution, labels) -> table.row(
                substitution,
                Numbers.count(labels.size()),
                labels.size() == rows.size() ? "all" : String.join(", ", labels)));
        return table;
    }

    Report report() {
        boolean isBad = count(workload -> !workload.hasEqualLosses()) > 0;
        Report report = new Report("Profiling suite").answer(isBad ? Tone.BAD : Tone.PLAIN, sentence());
        sentences().forEach(report::prose);
        int families = PredictionError.families(rows).size();
        return report.card("Workloads", Numbers.count(rows.size()), families == 1 ? "1 family" : families + " families")
                .card(
                        "Layer error factor, roofline",
                        overall(PredictionError::rooflineFold),
                        "median of workloads, nothing fitted")
                .card(
                        "Layer error factor, array",
                        overall(PredictionError::systolicFold),
                        "products only, nothing fitted")
                .card(
                        "Layer error factor, fitted",
                        overall(PredictionError::heldOutFold),
                        "efficiencies fitted on other families")
                .section("steps", "Steps")
                .table(steps())
                .section("predictions", "Predicted against measured")
                .charts(SuiteReportCharts.all(rows))
                .table(predictions())
                .section("families", "Families")
                .table(SuiteErrorTables.families(rows))
                .section("classes", "Classes of operators")
                .table(classes())
                .section("slowest", "Slowest operations")
                .table(slowest())
                .section("instead", "Substitutions")
                .table(substitutions())
                .style("tbody th { white-space: nowrap; }")
                .footer("Stagesim · suite_report");
    }

    private String overall(Function<PredictionError, Optional<Double>> figure) {
        return SuiteErrorTables.factor(SuiteErrorTables.median(rows, figure));
    }
}
