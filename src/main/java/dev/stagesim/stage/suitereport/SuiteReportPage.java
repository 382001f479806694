package dev.stagesim.stage.suitereport;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.Markdown;
import dev.stagesim.report.Markup;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Page;
import dev.stagesim.stats.Quantiles;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A suite report for people: as text and as one HTML page. */
final class SuiteReportPage {
    private static final double NS_PER_US = 1e3;

    private final List<ReportRow> rows;
    private final Efficiencies all;
    private final long leastNs;

    SuiteReportPage(List<ReportRow> rows, Efficiencies all, long leastNs) {
        this.rows = rows;
        this.all = all;
        this.leastNs = leastNs;
    }

    private String sentence() {
        long equal =
                rows.stream().filter(row -> row.workload().hasEqualLosses()).count();
        return rows.size() + " workloads were measured; " + equal + " had the same losses in all of their processes.";
    }

    private String second() {
        return "Rooflines take the rates that a probe reached on the machine of the run, and nothing in them is fitted; held"
                + " out means efficiencies of classes of operators that were fitted on the other families. Factors are"
                + " medians over layers and directions of at least " + Numbers.significant(leastNs / NS_PER_US, 3)
                + " µs. Waiting for input stands beside the steps and is in none of them.";
    }

    private static String micros(double ns) {
        return ns == 0 ? Numbers.NONE : Numbers.significant(ns / NS_PER_US, 4);
    }

    private static String factor(Optional<Double> fold) {
        return fold.map(value -> Numbers.significant(value, 3)).orElse(Numbers.NONE);
    }

    private DataTable workloads() {
        DataTable table = new DataTable("Workloads")
                .text("Workload")
                .text("Family")
                .number("Step (µs)")
                .number("Processes differ %")
                .number("Input (µs)")
                .number("Forward (µs)")
                .number("Operations (µs)")
                .number("Roofline (µs)")
                .number("Array (µs)")
                .number("Held out (µs)")
                .number("Roofline off by")
                .number("Held out off by")
                .text("Losses");
        for (ReportRow row : rows) {
            MeasuredWorkload one = row.workload();
            table.row(
                    one.label(),
                    one.family(),
                    micros(one.step()),
                    Numbers.fixed(one.noise() * 100, 1),
                    micros(one.input()),
                    micros(one.infer()),
                    micros(one.measured()),
                    micros(one.roofline()),
                    micros(one.systolic()),
                    micros(row.heldOut().orElse(0.0)),
                    factor(row.rooflineFold()),
                    factor(row.heldOutFold()),
                    one.losses().size() == 1 ? "one process" : one.hasEqualLosses() ? "equal" : "differ");
        }
        return table;
    }

    private DataTable families() {
        Map<String, List<ReportRow>> families = new TreeMap<>();
        rows.forEach(row -> families.computeIfAbsent(row.workload().family(), key -> new java.util.ArrayList<>())
                .add(row));
        DataTable table = new DataTable("Families, each predicted from the others")
                .text("Family")
                .number("Workloads")
                .number("Roofline off by")
                .number("Held out off by");
        families.forEach((family, of) -> table.row(
                family,
                Numbers.count(of.size()),
                factor(median(of.stream()
                        .map(ReportRow::rooflineFold)
                        .flatMap(Optional::stream)
                        .toList())),
                factor(median(of.stream()
                        .map(ReportRow::heldOutFold)
                        .flatMap(Optional::stream)
                        .toList()))));
        return table;
    }

    private static Optional<Double> median(List<Double> values) {
        return values.isEmpty()
                ? Optional.empty()
                : Optional.of(Quantiles.of(
                        values.stream().mapToDouble(Double::doubleValue).toArray(), 0.5));
    }

    private DataTable classes() {
        DataTable table = new DataTable("Share of the roofline that classes of operators reach")
                .text("Class")
                .number("Layers and directions")
                .number("Share %");
        all.classes()
                .forEach((type, figures) ->
                        table.row(type, Numbers.count((long) figures[0]), Numbers.fixed(figures[1] * 100, 1)));
        return table;
    }

    private DataTable slowest() {
        DataTable table = new DataTable("Slowest operations").text("Workload").text("Operations");
        for (ReportRow row : rows) {
            if (!row.workload().slowest().isEmpty()) {
                table.row(
                        row.workload().label(), String.join(", ", row.workload().slowest()));
            }
        }
        return table;
    }

    private DataTable substitutions() {
        DataTable table = new DataTable("Instead of what the workloads ask for")
                .text("Workload")
                .text("Instead");
        for (ReportRow row : rows) {
            table.row(row.workload().label(), String.join("; ", row.workload().substitutions()));
        }
        return table;
    }

    String markdown() {
        return new Markdown()
                .heading(1, "Profiling suite")
                .paragraph(sentence())
                .paragraph(second())
                .table(workloads())
                .table(families())
                .table(classes())
                .table(slowest())
                .table(substitutions())
                .build();
    }

    String html() {
        Markup banner = new Markup().open("div", "class", "verdict");
        banner.leaf("p", sentence(), "class", "word").leaf("p", second()).close();
        return new Page("Profiling suite", banner)
                .section("workloads", "Workloads", workloads().html())
                .section("families", "Families", families().html())
                .section("classes", "Classes of operators", classes().html())
                .section("slowest", "Slowest operations", slowest().html())
                .section("instead", "Substitutions", substitutions().html())
                .footer("Stagesim · suite_report")
                .html();
    }
}
