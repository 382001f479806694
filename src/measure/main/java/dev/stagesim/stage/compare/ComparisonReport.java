package dev.stagesim.stage.compare;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.Facts.Figure;
import dev.stagesim.comparison.Metric;
import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.measured.Published;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.report.Report.Tone;
import dev.stagesim.report.TimeScale;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The report of a comparison: the verdict, then the diagnosis, the metrics and the origin of the data. */
final class ComparisonReport {
    private static final List<Metric> HEADLINES = List.of(Metric.TTFT, Metric.TPOT, Metric.E2E);
    private final Comparison c;
    private final ComparisonText wording;
    private final ReportTables tables;
    private final ComparisonCharts charts;
    private final Optional<RunConditions> measured;
    private final Optional<RunConditions> predicted;

    /**
     * A report of a comparison.
     *
     * @param measured conditions of the first side, if its run states them
     * @param predicted conditions of the second side, if its run states them
     */
    ComparisonReport(Comparison c, Optional<RunConditions> measured, Optional<RunConditions> predicted) {
        this.c = c;
        this.measured = measured;
        this.predicted = predicted;
        this.wording = new ComparisonText(c);
        this.tables = new ReportTables(c);
        this.charts = new ComparisonCharts(c);
    }

    /** Returns the headline values by name. */
    Map<String, Double> headlines() {
        Map<String, Double> figures = new LinkedHashMap<>();
        for (Metric metric : HEADLINES) {
            c.median(metric).ifPresent(row -> median(metric, row.real(), row.sim(), figures));
        }
        for (Metric metric : HEADLINES) {
            c.publishedMedian(metric).ifPresent(row -> median(metric, row.real(), row.sim(), figures));
        }
        c.outputTokens().ifPresent(rate -> figures.put("throughput_error_percent", rate.percent()));
        c.noise().ifPresent(noise -> noise(noise, figures));
        c.clockNoise().ifPresent(noise -> noise.rows()
                .forEach(row -> figures.put(row.metric().key() + "_p50_clock_noise_percent", row.noisePercent())));
        return figures;
    }

    private static void median(Metric metric, double real, double sim, Map<String, Double> figures) {
        figures.put(metric.key() + "_p50_real_ms", real / NS_PER_MS);
        figures.put(metric.key() + "_p50_sim_ms", sim / NS_PER_MS);
        figures.put(metric.key() + "_p50_error_percent", 100 * (sim - real) / real);
    }

    private static void noise(NoiseFloor noise, Map<String, Double> figures) {
        for (NoiseFloor.Row row : noise.rows()) {
            if (row.metric() == Metric.TTFT || row.metric() == Metric.TPOT) {
                String name = row.metric().key() + "_" + row.statistic().name();
                figures.put(name + "_error_percent", row.errorPercent());
                figures.put(name + "_noise_percent", row.noisePercent());
            }
        }
    }

    Report report() {
        Report out = new Report(wording.title());
        opening(out);
        causes(out);
        c.noise().ifPresent(noise -> out.section("noise", "Noise floor")
                .lead(wording.noise(noise))
                .table(noise.table(c.real().label(), c.sim().label())));
        c.clockNoise().ifPresent(noise -> out.section("clock-noise", "Clock noise")
                .lead(ComparisonText.CLOCK_NOISE)
                .table(noise.table(c.real().label(), c.sim().label())));
        for (MetricResult metric : c.metrics()) {
            metric(out, metric);
        }
        if (c.aggregatesOnly()) {
            published(out.section("published", "Published values"));
            out.section("throughput", "Throughput").table(tables.throughput());
        } else {
            out.detail("over-time", "Over the run").charts(charts.overTime());
            out.section("distances", "Distances and errors")
                    .table(tables.distances())
                    .table(tables.errors())
                    .table(tables.throughput());
            out.detail("requests", "Request by request")
                    .table(tables.requests(c.settings().reportRequests()))
                    .faint("Every compared request is in tables/requests.csv.");
        }
        alignment(out);
        provenance(out);
        method(out);
        return out.section("again", "Reproduce this report")
                .command(wording.command())
                .footer("Stagesim · compare · " + c.real().runId() + " against "
                        + c.sim().runId());
    }

    private void opening(Report out) {
        out.answer(c.verdict().holds() ? Tone.GOOD : Tone.BAD, wording.verdict() + ".");
        out.prose(wording.sentence()).prose(wording.limits());
        wording.cause().ifPresent(finding -> out.prose("Likely cause:", finding.title() + "."));
        conditions(out);
        c.verdict().checks().forEach(check -> out.item(ComparisonText.check(check)));
        for (Metric metric : HEADLINES) {
            c.median(metric)
                    .ifPresent(row ->
                            median(out, metric, row.real(), row.sim(), c.real().label()));
            c.publishedMedian(metric).ifPresent(row -> median(out, metric, row.real(), row.sim(), "published"));
        }
        c.outputTokens()
                .ifPresent(rate -> out.card(
                        "Output throughput",
                        Numbers.percent(rate.percent()),
                        Numbers.significant(rate.real(), 4) + " tokens/s "
                                + c.real().label() + ", " + Numbers.significant(rate.sim(), 4) + " "
                                + c.sim().label()));
    }

    /** States the conditions of the prediction, and the measured conditions that differ. */
    private void conditions(Report out) {
        predicted.ifPresent(out::conditions);
        measured.filter(other -> !other.sentence()
                        .equals(predicted.map(RunConditions::sentence).orElse("")))
                .ifPresent(other -> out.prose("Conditions of the " + c.real().label() + " side:", other.sentence()));
    }

    private void median(Report out, Metric metric, double real, double sim, String origin) {
        TimeScale scale = TimeScale.fit(real);
        out.card(
                metric.shortName() + " median",
                Numbers.percent(100 * (sim - real) / real),
                scale.withUnit(real) + " " + origin + ", " + scale.withUnit(sim) + " "
                        + c.sim().label());
    }

    private void causes(Report out) {
        out.section("causes", "Why they differ");
        if (c.findings().isEmpty()) {
            out.prose(ComparisonText.NO_FINDING);
        }
        for (Finding finding : c.findings()) {
            out.finding(
                    finding.kind().text(),
                    finding.kind() == Finding.Kind.LIKELY,
                    finding.title(),
                    finding.evidence(),
                    finding.advice());
        }
    }

    private void metric(Report out, MetricResult result) {
        Metric metric = result.metric();
        String name = metric.shortName();
        String definition = metric.definition().isEmpty() ? "" : " Definition " + metric.definition() + ".";
        out.section(metric.slug(), metric.title().equals(name) ? name : metric.title() + " (" + name + ")")
                .lead(metric.doc() + definition)
                .table(tables.percentiles(result))
                .charts(charts.ofMetric(result));
        if (metric == Metric.TPOT && !c.published().isEmpty()) {
            published(out.section("token-gap", "Gap between tokens, published values"));
        }
    }

    private void published(Report out) {
        wording.tokenNote().ifPresent(out::prose);
        out.table(tables.published());
    }

    private void alignment(Report out) {
        Alignment a = c.alignment();
        out.section("alignment", "Compared requests");
        if (c.aggregatesOnly()) {
            out.fact(
                    "Requests",
                    "none on the " + c.real().label() + " side: it has aggregates only; "
                            + c.sim().rows().size() + " on the " + c.sim().label() + " side");
            List<String> others = PublishedRow.otherDefinitions(c.real());
            if (!others.isEmpty()) {
                out.fact("Not comparable", "published under another definition: " + String.join(", ", others));
            }
            out.table(new Definitions(c).table());
            return;
        }
        out.fact("Requests", c.real().rows().size() + " on each side, matched by request_id");
        out.fact("Compared", String.valueOf(a.count("compared")));
        out.fact("Left out as warm-up", String.valueOf(a.count("warm_up")));
        if (a.count("cancelled") > 0) {
            out.fact("Left out as cancelled", String.valueOf(a.count("cancelled")));
        }
        c.sim()
                .number(Figure.REQUESTS_LEFT_ASIDE)
                .filter(n -> n > 0)
                .ifPresent(n -> out.fact("Excluded", Numbers.count(Math.round(n)) + " other requests to the server"));
        out.fact(
                "Left out as failed",
                a.count("failed_real") + " " + c.real().label() + ", " + a.count("failed_sim") + " "
                        + c.sim().label());
        out.fact(
                "Simulated tokens cut",
                a.cutTokens() == 0
                        ? "none: both sides generated the same number of tokens"
                        : Numbers.count(a.cutTokens()) + " tokens of " + a.cutRequests()
                                + " requests that ended earlier when measured");
        out.fact("Token times", tokens());
        wording.tokenNote().ifPresent(out::prose);
        out.table(new Definitions(c).table());
    }

    private String tokens() {
        return tokens(c.real()) + ", " + tokens(c.sim());
    }

    private static String tokens(ComparedRun side) {
        String kind = side.hasTokens() ? "yes" : side.hasGaps() ? "as one distribution" : "no";
        return kind + " on the " + side.label() + " side";
    }

    private void provenance(Report out) {
        out.detail("provenance", "Source");
        List<ComparedRun> sides = new ArrayList<>(List.of(c.real(), c.sim()));
        c.noise().ifPresent(noise -> sides.add(noise.second()));
        for (ComparedRun side : sides) {
            out.head(ComparisonText.capital(side.label()) + " side")
                    .fact("Run", side.runType() + " " + side.runId())
                    .fact("SHA-256", side.sha256());
            side.model().ifPresent(model -> out.fact("Model", model));
            side.hardware().ifPresent(hardware -> out.fact("Hardware", hardware));
            side.facts().origins().forEach((origin, value) -> out.fact(origin.title(), value));
        }
        List<SettingsDiff.Row> rows = SettingsDiff.rows(c.real(), c.sim());
        if (!rows.isEmpty()) {
            out.head("Settings side by side").table(tables.settings(rows));
        }
    }

    private void method(Report out) {
        out.detail("method", "How to read it")
                .prose("A difference is " + c.sim().label() + " − " + c.real().label()
                        + ", so a negative one means that the " + c.sim().label()
                        + " side is faster. Percentages are of the " + c.real().label() + " side.")
                .prose("Percentiles interpolate linearly between neighbouring values (Hyndman–Fan type 7). Intervals"
                        + " cover 95 %: percentile bootstrap, "
                        + Numbers.count(c.settings().bootstrap().resamples())
                        + " resamples of whole requests, seed "
                        + c.settings().bootstrap().seed()
                        + ". Values in italics have fewer than ten samples beyond them: do not rely"
                        + " on them.");
        for (Metric metric : Metric.values()) {
            String letter = metric.definition().isEmpty() ? "" : " (definition " + metric.definition() + ")";
            out.fact(metric.shortName(), metric.doc() + letter);
        }
    }

    /** States the definition by which each metric is compared, or why it is not compared. */
    private record Definitions(Comparison c) {
        private static final String NOT_REPORTED = "not stated";

        DataTable table() {
            DataTable table = new DataTable("Which definitions are compared")
                    .columns("metric", "definition")
                    .text(c.real().label() + " side states")
                    .text("compared");
            return table.rows(
                    List.of(Metric.values()),
                    metric -> List.of(
                            metric.shortName(),
                            metric.definition().isEmpty() ? "one definition" : metric.definition(),
                            c.real().facts().definitions().getOrDefault(metric, NOT_REPORTED),
                            verdict(metric)));
        }

        private String verdict(Metric metric) {
            if (c.metric(metric).isPresent()) {
                return metric == Metric.TOKEN_GAP ? "yes, gap by gap" : "yes, request by request";
            }
            if (c.published().stream().anyMatch(row -> row.metric() == metric)) {
                return "yes, published values";
            }
            List<String> others = c.real().published().stream()
                    .filter(aggregate ->
                            Metric.named(aggregate.metric()) == metric && !metric.agrees(aggregate.definition()))
                    .map(Published::definition)
                    .distinct()
                    .toList();
            if (!others.isEmpty()) {
                return "no: published under definition " + others.stream().collect(Collectors.joining(", "));
            }
            return missing(metric)
                    .map(label -> "no: the " + label + " side does not report it")
                    .orElse("no: nothing to compare");
        }

        /** Returns the run that lacks the values of the metric. */
        private Optional<String> missing(Metric metric) {
            if (metric == Metric.TOKEN_GAP && !c.aggregatesOnly()) {
                return c.real().hasGaps()
                        ? Optional.of(c.sim().label()).filter(label -> !c.sim().hasGaps())
                        : Optional.of(c.real().label());
            }
            return c.aggregatesOnly() ? Optional.of(c.real().label()) : Optional.empty();
        }
    }
}
