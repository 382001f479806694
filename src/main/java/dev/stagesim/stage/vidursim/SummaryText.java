package dev.stagesim.stage.vidursim;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.Markdown;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.serving.ClusterSpec;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.Utilization;
import dev.stagesim.stats.Quantiles;

/** Writes {@code summary.md}: what was simulated, latencies, throughput, and how busy the cluster was. */
final class SummaryText {
    private static final double GIB = 1024.0 * 1024 * 1024;

    private final VidurSimSettings settings;
    private final ServingSpec spec;
    private final MemoryPlan plan;
    private final ServingOutcome outcome;
    private final Figures figures;
    private final Utilization utilization;

    SummaryText(
            VidurSimSettings settings,
            ServingSpec spec,
            MemoryPlan plan,
            ServingOutcome outcome,
            Figures figures,
            Utilization utilization) {
        this.settings = settings;
        this.spec = spec;
        this.plan = plan;
        this.outcome = outcome;
        this.figures = figures;
        this.utilization = utilization;
    }

    String text() {
        Markdown page = new Markdown()
                .heading(
                        1,
                        "Simulated serving of " + settings.model().name() + " on "
                                + settings.hardware().name())
                .paragraph(outcome.completed() + " of " + outcome.states().size() + " requests completed in "
                        + Numbers.significant(figures.seconds(), 4) + " s of simulated time; "
                        + cluster(spec.cluster()) + ", " + outcome.batches() + " batches, " + outcome.restarts()
                        + " restarts.")
                .heading(2, "Latency")
                .table(latency())
                .heading(2, "Memory of a device")
                .paragraph("Weights " + Numbers.significant(plan.parameterBytes() / GIB, 4) + " GiB; KV cache "
                        + plan.numBlocks() + " blocks of "
                        + spec.scheduler().limits().blockSize() + " tokens per replica, of which at most "
                        + Numbers.fixed(figures.kvPeakPercent(), 1) + " % were in use.")
                .heading(2, "Use of the cluster")
                .table(use());
        return page.build();
    }

    private DataTable latency() {
        DataTable table = new DataTable("Latency of completed requests, quantiles by " + Quantiles.METHOD)
                .text("Latency")
                .number("P50 (ms)")
                .number("P90 (ms)")
                .number("P99 (ms)");
        row(table, "time to first token", figures.firstTokenMs());
        row(table, "time per output token", figures.perTokenMs());
        row(table, "end to end", figures.endToEndMs());
        return table;
    }

    private static void row(DataTable table, String name, double[] sorted) {
        if (sorted.length > 0) {
            table.row(name, quantile(sorted, 0.5), quantile(sorted, 0.9), quantile(sorted, 0.99));
        }
    }

    private static String quantile(double[] sorted, double q) {
        return Numbers.fixed(Quantiles.ofSorted(sorted, q), 3);
    }

    private DataTable use() {
        DataTable table = new DataTable("Means over time")
                .text("Stage")
                .number("KV cache (%)")
                .number("busy (%)")
                .number("model FLOPs (%)");
        int replicas = Math.min(16, spec.cluster().replicas());
        for (int replica = 0; replica < replicas; replica++) {
            for (int stage = 0; stage < spec.cluster().pipelineStages(); stage++) {
                table.row(
                        "replica " + replica + " stage " + stage,
                        percent(utilization.memory(replica).weightedMean()),
                        percent(utilization.busy(replica, stage).weightedMean()),
                        percent(utilization.mfu(replica, stage).weightedMean()));
            }
        }
        return table;
    }

    private static String percent(double value) {
        return Double.isNaN(value) ? Numbers.NONE : Numbers.fixed(value, 1);
    }

    /** The cluster in words. */
    static String cluster(ClusterSpec cluster) {
        return some(cluster.replicas(), "replica") + ", tensor parallel " + cluster.tensorParallel() + ", "
                + some(cluster.pipelineStages(), "pipeline stage");
    }

    private static String some(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }
}
