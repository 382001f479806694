package dev.stagesim.stage.vidursim;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.model.KeyNames;
import dev.stagesim.report.Chart;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.metrics.Usage;
import dev.stagesim.sim.serving.metrics.Utilization;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Report of a simulated run: metrics, latencies, batches and memory. */
record ServingReport(
        VidurSimSettings settings,
        ServingSpec spec,
        MemoryPlan plan,
        ServingOutcome outcome,
        ServingMetrics figures,
        Utilization utilization,
        ReportSeries timeline,
        LoadText load,
        Optional<StepUse> steps,
        Optional<LabelTable> labels,
        RunConditions conditions) {
    private static final double GIB = 1024.0 * 1024 * 1024;
    private static final int DIGITS = 4;
    private static final double[] QUANTILES = {0.5, 0.9, 0.95, 0.99};

    Report report() {
        Report out = new Report("Simulated serving of " + settings.model().name() + " on "
                + settings.hardware().name());
        summary(out);
        cards(out);
        latency(out);
        steps.ifPresent(use -> out.section("steps", "Steps").table(use.table()));
        if (settings.simulation().report()) {
            batches(out);
            load(out);
        }
        use(out);
        return out.footer("compat = " + KeyNames.constant(settings.compat()) + ". Quantiles by " + Quantiles.METHOD
                + ". The tables in this directory contain all values; trace.json opens in the Perfetto UI.");
    }

    private void summary(Report out) {
        out.answer("Load " + load.verdict() + ".");
        out.prose(Numbers.count(outcome.completed()) + " of "
                + Numbers.count(outcome.states().size()) + " requests completed in "
                + Numbers.significant(outcome.endSeconds() - figures.begin(), DIGITS) + " s of simulated time: "
                + ConditionText.parallelism(spec) + ", " + counted(outcome.batches(), "batch") + ", "
                + counted(outcome.restarts(), "restart") + ".");
        int warmUp = figures.warmUp();
        if (warmUp > 0) {
            out.prose("The first " + counted(warmUp, "request")
                    + (warmUp == 1 ? " is" : " are") + " a warm-up: metrics and request tables exclude "
                    + (warmUp == 1 ? "it." : "them."));
        }
        if (figures.excludedRequests() > 0) {
            out.prose("Latencies exclude " + counted(figures.excludedRequests(), "request")
                    + " that completed in batches outside the selected range.");
        }
        out.conditions(conditions);
    }

    private void cards(Report out) {
        card(out, "Time to first token, P50", figures.firstTokenMs(), 0.5);
        card(out, "Time to first token, P99", figures.firstTokenMs(), 0.99);
        card(out, "Time per output token, P50", figures.perTokenMs(), 0.5);
        card(out, "End to end, P50", figures.endToEndMs(), 0.5);
        double seconds = figures.seconds();
        if (seconds > 0) {
            out.card("Requests per second", Numbers.significant(figures.completed() / seconds, DIGITS));
            out.card("Output tokens per second", Numbers.significant(figures.outputTokens() / seconds, DIGITS));
        }
        out.card("KV cache, peak", Numbers.share(figures.kvPeakPercent(), 1));
        out.card("Restarts", Numbers.count(outcome.restarts()));
        outcome.engine().ifPresent(of -> out.card("Prefix cache hits", Numbers.share(100 * of.hitRate(), 1))
                .card("Engine", new EngineText(spec.scheduler(), plan).name()));
    }

    private static void card(Report out, String name, double[] sortedMs, double q) {
        if (sortedMs.length > 0) {
            out.card(name, Numbers.significant(Quantiles.ofSorted(sortedMs, q), DIGITS) + Numbers.SPACE + "ms");
        }
    }

    private void latency(Report out) {
        DataTable table =
                new DataTable("Latency of completed requests (ms), quantiles by " + Quantiles.METHOD).text("Latency");
        for (double q : QUANTILES) {
            table.number("P" + Math.round(100 * q));
        }
        table.number("maximum");
        List<Chart> charts = new ArrayList<>();
        latency(table, charts, "ttft", "Time to first token", figures.firstTokenMs());
        latency(table, charts, "tpot", "Time per output token", figures.perTokenMs());
        latency(table, charts, "e2e", "End to end", figures.endToEndMs());
        out.section("latency", "Latency").table(table).charts(charts);
        labels.ifPresent(of -> out.table(of.table()));
    }

    private void latency(DataTable table, List<Chart> charts, String name, String title, double[] sorted) {
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
        if (settings.simulation().report()) {
            charts.add(SimCharts.cdf(name, title, sorted));
        }
    }

    private void batches(Report out) {
        out.detail("batches", "Batches on the stages");
        if (timeline.executions.isEmpty()) {
            out.prose("No batch ended.");
            return;
        }
        String title = "All batches";
        if (timeline.thinned()) {
            title = "The first " + timeline.executions.size() + " batches on stages";
            out.faint("The run has too many batches to draw individually: the first chart shows its beginning, the "
                    + "second the utilisation of each stage over the whole run.");
        }
        if ((long) spec.cluster().replicas() * spec.cluster().pipelineStages() > timeline.lanes) {
            out.faint("Only the first " + timeline.lanes + " stages are shown.");
        }
        out.charts(SimCharts.gantt(title, timeline), SimCharts.busy(timeline));
    }

    private void load(Report out) {
        out.detail("load", "Load over time")
                .charts(SimCharts.requests("batch-size", "Batch size", "requests in a batch", timeline.batchSize))
                .charts(SimCharts.steps("memory", "KV cache in use", "KV blocks in use (%)", timeline.memory))
                .charts(SimCharts.requests(
                        "queue", "Waiting requests", "requests waiting on replicas", timeline.queue));
        if (outcome.engine().isPresent()) {
            timeline.align();
            out.charts(SimCharts.counts("prompts", "Prompt tokens admitted", "prompt tokens", timeline.promptTokens))
                    .charts(SimCharts.counts(
                            "cached", "Cached prompt tokens", "cached prompt tokens", timeline.cachedTokens));
        }
        if (outcome.restarts() > 0) {
            out.charts(SimCharts.counts("restarts", "Restarts", "restarts", timeline.restarts));
        }
    }

    private void use(Report out) {
        out.section("use", "Utilisation of the cluster")
                .prose("Weights take " + Numbers.significant(plan.parameterBytes() / GIB, DIGITS)
                        + " GiB of a device; the KV cache of a replica has " + Numbers.count(plan.numBlocks())
                        + " blocks of " + spec.scheduler().limits().blockSize() + " tokens, of which at most "
                        + Numbers.fixed(figures.kvPeakPercent(), 1) + " % were used at the peak.");
        EngineText engine = new EngineText(spec.scheduler(), plan);
        outcome.engine().ifPresent(brought -> out.prose(engine.sentence(brought)));
        outcome.waves().ifPresent(waves -> out.prose(EngineText.waves(waves)));
        DataTable table = new DataTable("Percent of capacity; utilization.csv has all replicas")
                .columns("Where", "What", "#minimum", "#mean over time", "#maximum");
        List<Usage> all = Usage.of(spec, utilization);
        for (Usage usage : all.subList(0, Math.min(3 * ReportSeries.MAX_LANES, all.size()))) {
            table.row(
                    "replica " + usage.replica() + (usage.stage() < 0 ? "" : " stage " + usage.stage()),
                    name(usage.quantity()),
                    Numbers.fixed(usage.min(), 1),
                    Numbers.fixed(usage.mean(), 1),
                    Numbers.fixed(usage.max(), 1));
        }
        settings.boardWatts().ifPresent(watts -> energy(out, watts));
        out.table(table).table(load.table());
    }

    private void energy(Report out, double boardWatts) {
        double power = utilization.meanPower();
        figures.joulesPerToken(boardWatts)
                .ifPresent(joules -> out.prose("By runs on H100 and B200, a device draws "
                        + Numbers.count(Math.round(boardWatts / settings.devices() * power)) + " W on average, "
                        + Numbers.share(100 * power, 0)
                        + " of its board power, and an output token takes "
                        + Numbers.significant(joules, 3) + " J, without hosts, network and cooling."));
    }

    private static String name(String quantity) {
        return switch (quantity) {
            case "memory_usage" -> "KV cache";
            case "busy_time_percent" -> "busy";
            default -> "model FLOPs";
        };
    }

    private static String counted(long count, String what) {
        return Numbers.count(count) + " " + what + (count == 1 ? "" : what.endsWith("h") ? "es" : "s");
    }
}
