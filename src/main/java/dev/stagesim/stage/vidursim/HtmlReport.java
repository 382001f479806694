package dev.stagesim.stage.vidursim;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.Markup;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Page;
import dev.stagesim.report.chart.Chart;
import dev.stagesim.report.chart.SvgChart;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.Usage;
import dev.stagesim.sim.serving.Utilization;
import dev.stagesim.stats.Quantiles;
import java.util.List;

/** Makes {@code report.html}: figures, latencies, batches and memory of a simulated run on one page. */
final class HtmlReport {
    private static final double GIB = 1024.0 * 1024 * 1024;
    private static final int DIGITS = 4;
    private static final double[] QUANTILES = {0.5, 0.9, 0.95, 0.99};

    private final VidurSimSettings settings;
    private final ServingSpec spec;
    private final MemoryPlan plan;
    private final ServingOutcome outcome;
    private final Figures figures;
    private final Utilization utilization;
    private final Timeline timeline;

    HtmlReport(
            VidurSimSettings settings,
            ServingSpec spec,
            MemoryPlan plan,
            ServingOutcome outcome,
            Figures figures,
            Utilization utilization,
            Timeline timeline) {
        this.settings = settings;
        this.spec = spec;
        this.plan = plan;
        this.outcome = outcome;
        this.figures = figures;
        this.utilization = utilization;
        this.timeline = timeline;
    }

    String html() {
        String title = "Simulated serving of " + settings.model().name() + " on "
                + settings.hardware().name();
        return new Page(title, banner())
                .section("latency", "Latency", latency())
                .section("batches", "Batches on the stages", batches())
                .section("load", "Load over time", load())
                .section("use", "Use of the cluster", use())
                .footer("compat = " + settings.compat().name().toLowerCase(java.util.Locale.ROOT)
                        + ". Quantiles by " + Quantiles.METHOD + ". The tables beside this page hold every figure;"
                        + " trace.json opens in the Perfetto UI.")
                .html();
    }

    private Markup banner() {
        Markup out = new Markup();
        out.open("p", "class", "lead")
                .text(Numbers.count(outcome.completed()) + " of "
                        + Numbers.count(outcome.states().size()) + " requests completed in "
                        + Numbers.significant(figures.seconds(), DIGITS) + " s of simulated time: "
                        + SummaryText.cluster(spec.cluster()) + ", "
                        + Numbers.count(outcome.batches()) + " batches.")
                .close();
        if (figures.leftOut() > 0) {
            out.leaf(
                    "p",
                    "Latencies leave out " + Numbers.count(figures.leftOut())
                            + " requests that completed in batches outside the chosen range.");
        }
        out.open("ul", "class", "cards");
        card(out, "Time to first token, P50", figures.firstTokenMs(), 0.5);
        card(out, "Time to first token, P99", figures.firstTokenMs(), 0.99);
        card(out, "Time per output token, P50", figures.perTokenMs(), 0.5);
        card(out, "End to end, P50", figures.endToEndMs(), 0.5);
        double seconds = figures.seconds();
        if (seconds > 0) {
            card(out, "Requests per second", Numbers.significant(outcome.completed() / seconds, DIGITS));
            card(out, "Output tokens per second", Numbers.significant(figures.outputTokens() / seconds, DIGITS));
        }
        card(out, "KV cache, peak", Numbers.share(figures.kvPeakPercent(), 1));
        card(out, "Restarts", Numbers.count(outcome.restarts()));
        return out.close().line();
    }

    private static void card(Markup out, String name, double[] sortedMs, double q) {
        if (sortedMs.length > 0) {
            card(out, name, Numbers.significant(Quantiles.ofSorted(sortedMs, q), DIGITS) + Numbers.SPACE + "ms");
        }
    }

    private static void card(Markup out, String name, String value) {
        out.open("li", "class", "card");
        out.leaf("div", name, "class", "name").leaf("div", value, "class", "big");
        out.close().line();
    }

    private Markup latency() {
        DataTable table = new DataTable("Latency of completed requests (ms)").text("Latency");
        for (double q : QUANTILES) {
            table.number("P" + Math.round(100 * q));
        }
        table.number("greatest");
        Markup charts = new Markup().open("div", "class", "figures");
        latency(table, charts, "ttft", "Time to first token", figures.firstTokenMs());
        latency(table, charts, "tpot", "Time per output token", figures.perTokenMs());
        latency(table, charts, "e2e", "End to end", figures.endToEndMs());
        return table.html().add(charts.close().line());
    }

    private static void latency(DataTable table, Markup charts, String name, String title, double[] sorted) {
        if (sorted.length == 0) {
            return;
        }
        String[] cells = new String[QUANTILES.length + 2];
        cells[0] = title;
        for (int i = 0; i < QUANTILES.length; i++) {
            cells[i + 1] = Numbers.fixed(Quantiles.ofSorted(sorted, QUANTILES[i]), 3);
        }
        cells[QUANTILES.length + 1] = Numbers.fixed(sorted[sorted.length - 1], 3);
        table.row(cells);
        charts.add(SvgChart.figure(SimCharts.cdf(name, title, sorted)));
    }

    private Markup batches() {
        Markup out = new Markup();
        if (timeline.executions().isEmpty()) {
            return out.leaf("p", "No batch ended.");
        }
        String title = "Every batch";
        if (timeline.thinned()) {
            title = "The first " + timeline.executions().size() + " batches on stages";
            out.leaf(
                    "p",
                    "The run has more batches than can be drawn one by one: the first chart shows how it begins, the"
                            + " second how busy each stage was over the whole run.",
                    "class",
                    "faint");
        }
        if ((long) spec.cluster().replicas() * spec.cluster().pipelineStages() > timeline.lanes()) {
            out.leaf("p", "Only the first " + timeline.lanes() + " stages are shown.", "class", "faint");
        }
        out.open("div", "class", "figures");
        out.add(SvgChart.figure(SimCharts.gantt(title, timeline)));
        out.add(SvgChart.figure(SimCharts.busy(timeline)));
        return out.close().line();
    }

    private Markup load() {
        Markup out = new Markup().open("div", "class", "figures");
        figure(out, SimCharts.requests("batch-size", "Batch size", "requests in a batch", timeline.batchSize()));
        figure(out, SimCharts.steps("memory", "KV cache in use", "KV blocks in use (%)", timeline.memory()));
        figure(out, SimCharts.requests("queue", "Waiting requests", "requests waiting on replicas", timeline.queue()));
        if (outcome.restarts() > 0) {
            figure(out, SimCharts.counts("restarts", "Restarts", "restarts", timeline.restarts()));
        }
        return out.close().line();
    }

    private static void figure(Markup out, Chart chart) {
        out.add(SvgChart.figure(chart));
    }

    private Markup use() {
        Markup out = new Markup();
        out.leaf(
                "p",
                "Weights take " + Numbers.significant(plan.parameterBytes() / GIB, DIGITS)
                        + " GiB of a device; the KV cache of a replica has " + Numbers.count(plan.numBlocks())
                        + " blocks of " + spec.scheduler().limits().blockSize() + " tokens.");
        DataTable table = new DataTable("Percent of what there is; utilization.csv has all replicas")
                .text("Where")
                .text("What")
                .number("least")
                .number("mean over time")
                .number("greatest");
        List<Usage> all = Usage.of(spec, utilization);
        for (Usage usage : all.subList(0, Math.min(3 * Timeline.MOST_LANES, all.size()))) {
            table.row(
                    "replica " + usage.replica() + (usage.stage() < 0 ? "" : " stage " + usage.stage()),
                    name(usage.quantity()),
                    Numbers.fixed(usage.least(), 1),
                    Numbers.fixed(usage.mean(), 1),
                    Numbers.fixed(usage.greatest(), 1));
        }
        return out.add(table.html());
    }

    private static String name(String quantity) {
        return switch (quantity) {
            case "memory_usage" -> "KV cache";
            case "busy_time_percent" -> "busy";
            default -> "model FLOPs";
        };
    }
}
