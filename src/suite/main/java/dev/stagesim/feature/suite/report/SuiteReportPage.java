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

    private long count(java.util.function.Predicate<MeasuredWorkload> which) {
        return rows.stream().map(PredictionError::workload).filter(which).count();
    }

    private String sentence() {
        long repeated = count(one -> one.losses().size() > 1);
        long differing = count(one -> !one.hasEqualLosses());
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
                + " µs. Waiting for input is outside the steps and in none of them.");
        long compiled = count(one -> one.ran().isCompiled());
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

    private static boolean isOpen(MeasuredWorkload one) {
        return one.ran().threads().equals("1 x 1")
                && one.times().accounted() > 0
                && Math.abs(one.times().accounted() - 1) > 0.05;
    }

    private static String millis(double ns) {
        return ns > 0 ? Numbers.significant(ns / NS_PER_MS, DIGITS) : Numbers.NONE;
    }

    private static String losses(MeasuredWorkload one) {
        return one.losses().size() == 1 ? "one process" : one.hasEqualLosses() ? "equal" : "differ";
    }

    /** Formats the settings without line breaks. */
    private static String ranAs(MeasuredWorkload.Ran ran) {
        return (ran.device() + ", " + ran.precision() + (ran.isCompiled() ? ", XLA" : "") + ", " + ran.threads())
                .replace(" ", Numbers.SPACE);
    }

    private DataTable steps() {
        DataTable table = new DataTable("Times of a step in milliseconds, medians")
                .columns("Workload", "Family", "Ran as, threads", "#Batch", "#Training step")
                .number("Noise", "Spread of the median steps of equal processes.")
                .number("Samples a second", "Batch over training step and wait for input.")
                .number("Wait for input", "Beside the step.")
                .number("Forward pass")
                .number(
                        "Accounted for",
                        "Operations and the time outside them, divided by the step; above 100 % if they overlap.")
                .text("Losses");
        for (PredictionError row : rows) {
            MeasuredWorkload one = row.workload();
            MeasuredWorkload.Times times = one.times();
            double both = times.step() + times.input();
            table.row(List.of(
                    Cell.of(one.label()),
                    Cell.of(one.family()),
                    Cell.of(ranAs(one.ran())),
                    Cell.of(Numbers.count(one.ran().batch())),
                    Cell.of(millis(times.step())),
                    Cell.of(one.steps().length > 1 ? Numbers.share(one.noise() * 100, 1) : Numbers.NONE),
                    Cell.of(both > 0 ? Numbers.significant(one.ran().batch() * NS_PER_S / both, 3) : Numbers.NONE),
                    Cell.of(millis(times.input())),
                    Cell.of(millis(times.infer())),
                    Cell.of(times.accounted() > 0 ? Numbers.share(times.accounted() * 100, 1) : Numbers.NONE)
                            .tone(isOpen(one) ? "bad" : ""),
                    Cell.of(losses(one)).tone(one.hasEqualLosses() ? "" : "bad")));
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
                .number("Roofline off by", "Median factor over layers.")
                .number("Array off by", "Median factor over layers with products.")
                .number("Fitted off by", "Median factor over layers; the fit excludes the family.");
        for (PredictionError row : rows) {
            MeasuredWorkload one = row.workload();
            double measured = one.isByLayer() ? one.measured() : one.times().step();
            table.row(List.of(
                    Cell.of(one.label()).note(one.isByLayer() ? "" : "per step only"),
                    Cell.of(one.family()),
                    Cell.of(millis(measured)),
                    Cell.of(millis(one.roofline())),
                    Cell.of(millis(one.systolic())),
                    Cell.of(row.heldOutNs().map(SuiteReportPage::millis).orElse(Numbers.NONE)),
                    Cell.of(SuiteErrorTables.factor(row.rooflineFold())),
                    Cell.of(SuiteErrorTables.factor(row.systolicFold())),
                    Cell.of(SuiteErrorTables.factor(row.heldOutFold()))));
        }
        return table;
    }

    private DataTable classes() {
        DataTable table = new DataTable("Share of the roofline that classes of operators reach, all workloads")
                .columns("Class", "#Layers and directions", "#Share of roofline");
        all.classes()
                .forEach((type, fitted) ->
                        table.row(type, Numbers.count(fitted.layers()), Numbers.share(fitted.efficiency() * 100, 1)));
        return table;
    }

    private DataTable slowest() {
        DataTable table = new DataTable("Operations that take longest")
                .columns("Workload", "Node", "Operation", "#Time (ms)", "#Of all operations");
        for (PredictionError row : rows) {
            MeasuredWorkload one = row.workload();
            if (!one.isByLayer()) {
                continue;
            }
            double sum = one.ops().stream().mapToDouble(MeasuredOp::ns).sum();
            String label = one.label();
            for (MeasuredOp op :
                    one.ops().subList(0, Math.min(SLOWEST, one.ops().size()))) {
                table.row(label, op.node(), op.kind(), millis(op.ns()), Numbers.share(100 * op.ns() / sum, 1));
            }
        }
        return table;
    }

    /** Substitutions with the affected workloads. */
    private DataTable substitutions() {
        Map<String, List<String>> by = new TreeMap<>();
        for (PredictionError row : rows) {
            for (String one : row.workload().substitutions()) {
                by.computeIfAbsent(one, key -> new ArrayList<>())
                        .add(row.workload().label());
            }
        }
        DataTable table = new DataTable("Substitutions").columns("Instead", "#Workloads", "Which");
        by.forEach((one, labels) -> table.row(
                one, Numbers.count(labels.size()), labels.size() == rows.size() ? "all" : String.join(", ", labels)));
        return table;
    }

    Report report() {
        boolean isBad = count(one -> !one.hasEqualLosses()) > 0;
        Report report = new Report("Profiling suite").answer(isBad ? Tone.BAD : Tone.PLAIN, sentence());
        sentences().forEach(report::prose);
        int families = PredictionError.families(rows).size();
        return report.card("Workloads", Numbers.count(rows.size()), families == 1 ? "1 family" : families + " families")
                .card(
                        "Layers off by, roofline",
                        overall(PredictionError::rooflineFold),
                        "median of workloads, nothing fitted")
                .card("Layers off by, array", overall(PredictionError::systolicFold), "products only, nothing fitted")
                .card(
                        "Layers off by, fitted",
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

    private String overall(java.util.function.Function<PredictionError, Optional<Double>> figure) {
        return SuiteErrorTables.factor(SuiteErrorTables.median(rows, figure));
    }
}
