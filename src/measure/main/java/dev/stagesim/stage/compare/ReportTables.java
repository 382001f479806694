package dev.stagesim.stage.compare;

import dev.stagesim.comparison.Metric;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.DataTable.Cell;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import dev.stagesim.stage.compare.Alignment.Pair;
import dev.stagesim.stats.Interval;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;

/** Tables that the report page and the terminal summary share. */
record ReportTables(Comparison c) {
    static TimeScale scale(MetricResult metric) {
        return TimeScale.fit(metric.row("p50").real());
    }

    /** Statistics of one metric. */
    DataTable percentiles(MetricResult metric) {
        TimeScale scale = scale(metric);
        String unit = " (" + scale.unit() + ")";
        String n = metric.real().length == metric.sim().length
                ? "n = " + Numbers.count(metric.real().length)
                : "n = " + Numbers.count(metric.real().length) + " " + c.real().label() + ", "
                        + Numbers.count(metric.sim().length) + " " + c.sim().label();
        DataTable table = new DataTable(metric.metric().shortName() + ": mean and percentiles, " + n)
                .text("statistic")
                .number(c.real().label() + unit, "with its 95 % interval on hover")
                .number(c.sim().label() + unit, "with its 95 % interval on hover")
                .number("difference" + unit, c.sim().label() + " − " + c.real().label())
                .number("in percent", "difference in percent of " + c.real().label())
                .number("95 % interval", "of the difference in percent, by bootstrap");
        metric.rows().forEach(row -> table.row(percentileRow(row, scale)));
        return table;
    }

    private static List<Cell> percentileRow(MetricResult.Row row, TimeScale scale) {
        String tone = row.reliable() ? "" : "faint";
        String name = row.statistic().title();
        Cell head = Cell.of(name).tone(tone);
        return List.of(
                row.reliable() ? head : head.hint("fewer than ten values are expected beyond " + name),
                Cell.of(scale.text(row.real()))
                        .tone(tone)
                        .hint(row.intervals().map(i -> range(i.a(), scale)).orElse("")),
                Cell.of(scale.text(row.sim()))
                        .tone(tone)
                        .hint(row.intervals().map(i -> range(i.b(), scale)).orElse("")),
                Cell.of(scale.signed(row.difference())).tone(tone),
                Cell.of(Numbers.percent(row.percent())).tone(tone),
                Cell.of(row.intervals().map(i -> percentRange(i.percent())).orElse(Numbers.NONE))
                        .tone(tone));
    }

    private static String range(Interval interval, TimeScale scale) {
        return "95 % interval " + scale.text(interval.low()) + " to " + scale.withUnit(interval.high());
    }

    private static String percentRange(Interval interval) {
        return Numbers.signed(interval.low(), 1) + " to " + Numbers.percent(interval.high());
    }

    /** Returns the published aggregates with the simulated values. */
    DataTable published() {
        DataTable table = new DataTable("Published values against all simulated values")
                .columns("metric", "statistic", "#published")
                .number(c.sim().label())
                .number("difference in percent");
        for (PublishedRow row : c.published()) {
            TimeScale scale = TimeScale.fit(row.real());
            String definition = row.metric().definition();
            table.row(
                    row.metric().shortName() + (definition.isEmpty() ? "" : " (" + definition + ")"),
                    row.statistic().title(),
                    scale.withUnit(row.real()),
                    scale.withUnit(row.sim()),
                    Numbers.percent(row.percent()));
        }
        return table;
    }

    DataTable throughput() {
        DataTable table = new DataTable("Throughput from first arrival to last completion")
                .text("quantity")
                .number(c.real().label())
                .number(c.sim().label())
                .columns("#difference", "unit");
        return table.rows(
                c.throughput(),
                rate -> List.of(
                        rate.quantity().replace('_', ' '),
                        Numbers.significant(rate.real(), 4),
                        Numbers.significant(rate.sim(), 4),
                        Numbers.percent(rate.percent()),
                        rate.unit()));
    }

    DataTable distances() {
        DataTable table = new DataTable("Distances between the distributions")
                .text("metric")
                .number("n " + c.real().label())
                .number("n " + c.sim().label())
                .number("Kolmogorov–Smirnov", "maximum difference of the distribution functions, 0 to 1")
                .number("Wasserstein-1", "area between the distribution functions")
                .number(
                        "of the mean",
                        "Wasserstein-1 in percent of the mean of " + c.real().label());
        return table.rows(
                c.metrics(),
                metric -> List.of(
                        metric.metric().shortName(),
                        Numbers.count(metric.real().length),
                        Numbers.count(metric.sim().length),
                        Numbers.fixed(metric.ks(), 3),
                        TimeScale.fit(metric.wasserstein1()).withUnit(metric.wasserstein1()),
                        Numbers.share(metric.wassersteinPercent(), 1)));
    }

    DataTable errors() {
        DataTable table = new DataTable("Errors request by request")
                .columns("metric", "#n")
                .number("bias", "mean signed error")
                .number("MAPE", "mean absolute error in percent of " + c.real().label())
                .number(
                        "median",
                        "median absolute error in percent of " + c.real().label())
                .number("sMAPE", "symmetric, at max 200 %")
                .columns("#Pearson", "#Spearman", "#Kendall")
                .number("limits of agreement", "mean difference ± 1.96 standard deviations");
        for (MetricResult metric : c.metrics()) {
            metric.paired().ifPresent(p -> {
                TimeScale scale = scale(metric);
                table.row(
                        metric.metric().shortName(),
                        Numbers.count(p.errors().n()),
                        Numbers.percent(p.errors().mpe()),
                        Numbers.share(p.errors().mape(), 1),
                        Numbers.share(p.errors().medianApe(), 1),
                        Numbers.share(p.errors().smape(), 1),
                        correlation(p.pearson()),
                        correlation(p.spearman()),
                        correlation(p.kendall()),
                        scale.signed(p.agreement().low()) + " to "
                                + scale.signed(p.agreement().high()) + " " + scale.unit());
            });
        }
        return table;
    }

    private static String correlation(OptionalDouble value) {
        return value.isPresent() ? Numbers.fixed(value.getAsDouble(), 3) : Numbers.NONE;
    }

    /**
     * Compared requests. If there are more than {@code max}, the table has those with the highest error of end-to-end
     * latency.
     */
    DataTable requests(int max) {
        List<Pair> all = c.alignment().pairs();
        boolean some = all.size() > max;
        List<Pair> shown = all;
        if (some) {
            shown = all.stream()
                    .sorted(Comparator.comparingDouble((Pair p) -> -Math.abs(p.e2eSim() - p.e2eReal()))
                            .thenComparingLong(p -> p.real().id()))
                    .limit(max)
                    .toList();
        }
        TimeScale ttft = TimeScale.fit(c.median(Metric.TTFT).orElseThrow().real());
        TimeScale e2e = TimeScale.fit(c.median(Metric.E2E).orElseThrow().real());
        TimeScale tpot =
                TimeScale.fit(c.median(Metric.TPOT).map(MetricResult.Row::real).orElse(1e6));
        DataTable table = new DataTable(
                some
                        ? "The " + max + " requests of " + Numbers.count(all.size())
                                + " with the highest error of end-to-end latency"
                        : "All " + all.size() + " compared requests; prompt and output in tokens");
        table.columns("#request", "#prompt", "#output", "#arrival (s)");
        sides(table, "TTFT", ttft);
        sides(table, "TPOT", tpot);
        sides(table, "E2E", e2e);
        for (Pair p : shown) {
            List<Cell> row = new ArrayList<>(List.of(
                    Cell.of(Numbers.count(p.real().id())),
                    Cell.of(Numbers.count(p.real().prefill())),
                    Cell.of(Numbers.count(p.tokens())),
                    Cell.of(Numbers.fixed(p.real().arrival() / 1e9, 3))));
            cells(row, p.ttftReal(), p.ttftSim(), ttft);
            cells(row, p.tpotReal(), p.tpotSim(), tpot);
            cells(row, p.e2eReal(), p.e2eSim(), e2e);
            table.row(row);
        }
        return table;
    }

    private void sides(DataTable table, String metric, TimeScale scale) {
        table.number(metric + " " + c.real().label() + " (" + scale.unit() + ")")
                .number(c.sim().label())
                .number("error");
    }

    private static void cells(List<Cell> row, double real, double sim, TimeScale scale) {
        row.add(Cell.of(scale.text(real)));
        row.add(Cell.of(scale.text(sim)));
        row.add(Cell.of(Numbers.percent(100 * (sim - real) / real)));
    }

    DataTable settings(List<SettingsDiff.Row> rows) {
        DataTable table = new DataTable("Settings that either side states")
                .text("setting")
                .text(c.real().label())
                .text(c.sim().label())
                .text("agreement");
        for (SettingsDiff.Row row : rows) {
            String note = row.differs()
                    ? "differs"
                    : row.real().isPresent() && row.sim().isPresent() ? "same" : "stated by one side";
            table.row(
                    row.setting().title(),
                    row.real().orElse(Numbers.NONE),
                    row.sim().orElse(Numbers.NONE),
                    note);
        }
        return table;
    }
}
