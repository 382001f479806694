package dev.stagesim.feature.cluster.report;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.report.LatencyBreakdown.Part;
import dev.stagesim.model.Count;
import dev.stagesim.model.KeyNames;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The report of a simulated cluster. */
public record ClusterReport(
        String model, ClusterFigures figures, RunConditions conditions, Optional<BaselineComparison> baseline) {
    private static final int DIGITS = 3;

    /** Creates the report. {@code all} contains all metrics by name. */
    public Report report(Map<String, Double> all) {
        ClusterFindings findings = new ClusterFindings(figures);
        Report report = new Report("Simulated cluster")
                .footer("Stagesim · cluster_sim")
                .answer(findings.tone(), answer(findings, all));
        report.conditions(conditions);
        report.card("P99 TTFT", ms(all, "ttft_p99_ms"), "P50 " + ms(all, "ttft_p50_ms"))
                .card("P99 TPOT", ms(all, "tpot_p99_ms"), "P50 " + ms(all, "tpot_p50_ms"))
                .card(
                        "Served",
                        Numbers.significant(figures.served(), DIGITS) + " requests/s",
                        (figures.trace.closedLoop().isPresent()
                                        ? ""
                                        : "of " + Numbers.significant(figures.offered(), DIGITS) + " offered, ")
                                + "over " + Numbers.significant(figures.measuredSeconds(), DIGITS)
                                + " s to the last output");
        report.section("limits", "Bottlenecks");
        findings.addTo(report);
        report.section("pools", "Pools").table(pools());
        report.faint("Short of memory: share of the run during which requests waited for KV cache; for decode"
                + " pools, share of the time of their requests.");
        report.charts(ClusterCharts.of(figures));
        List<String> leftOut = ClusterCharts.leftOut(figures);
        if (!leftOut.isEmpty()) {
            report.faint("Not drawn: " + String.join(", ", leftOut) + "; cluster_pools.csv contains all pools.");
        }
        report.section("parts", "Latency breakdown").table(parts());
        report.faint("Means over all completed requests. cluster_requests.csv contains the breakdown of each"
                + " request, which adds up exactly.");
        if (figures.handed > 0) {
            report.section("transfers", "Transfers").prose(transfers(all));
        }
        figures.kvEvents().addTo(report);
        figures.experts().addTo(report);
        new TenantReport(figures).addTo(report);
        new OperationsReport(figures).addTo(report);
        return report;
    }

    private static String ms(Map<String, Double> all, String figure) {
        double value = all.getOrDefault(figure, Double.NaN);
        return Double.isNaN(value) ? Numbers.NONE : Numbers.significant(value, DIGITS) + " ms";
    }

    /** Returns the latency and whether the cluster sustains the load in one sentence. */
    private String answer(ClusterFindings findings, Map<String, Double> all) {
        return model + " on " + devices()
                + " in " + words() + ": P99 TTFT " + ms(all, "ttft_p99_ms") + " and P99 TPOT " + ms(all, "tpot_p99_ms")
                + (Double.isFinite(figures.offered())
                        ? " at " + Numbers.significant(figures.offered(), DIGITS) + " requests/s"
                        : figures.trace.closedLoop().isPresent()
                                ? " at " + Numbers.significant(figures.served(), DIGITS) + " requests/s served"
                                : "")
                + "; " + findings.word() + "."
                + figures.failures().flatMap(FailureReport::rate).orElse("")
                + baseline.map(other -> " " + other.sentence()).orElse("");
    }

    private String devices() {
        return figures.isScaled()
                ? Numbers.significant(figures.meanDevices(), DIGITS) + " devices on average ("
                        + Numbers.significant(figures.meanBilledDevices(), DIGITS) + " billed, with starting ones)"
                : Count.of(figures.devices(), "device");
    }

    private String words() {
        List<String> pools = figures.pools.stream()
                .map(pool -> pool.name() + " (" + instances(pool) + " × "
                        + pool.shape().engineName() + ", "
                        + pool.shape().words() + ", "
                        + pool.replica().hardware().name() + ")")
                .toList();
        return (pools.size() == 1 ? "pool " : "pools ") + String.join(" and ", pools);
    }

    public static String instances(PoolPlan pool) {
        return pool.scaling()
                .map(scaling -> scaling.min() + " to " + scaling.max())
                .orElse(Integer.toString(pool.replicas()));
    }

    private DataTable pools() {
        DataTable table = new DataTable("Pools over the whole run")
                .columns(
                        "Pool",
                        "Role",
                        "#Instances",
                        "#Busy (%)",
                        "#KV peak (%)",
                        "#Short of memory (%)",
                        "#Requests",
                        "#Preemptions");
        for (PoolPlan pool : figures.pools) {
            List<Instance> all = figures.of(pool);
            table.row(
                    pool.name(),
                    KeyNames.constant(pool.role()),
                    instances(pool),
                    Numbers.fixed(100 * figures.busy(pool), 1),
                    Numbers.fixed(100 * figures.peakKvUsage(pool), 1),
                    Numbers.fixed(100 * ClusterFindings.memoryWaitShare(figures, pool), 1),
                    Numbers.count(all.stream().mapToLong(i -> i.requests).sum()),
                    Numbers.count(all.stream().mapToLong(i -> i.preemptions).sum()));
        }
        return table;
    }

    private DataTable parts() {
        DataTable table =
                new DataTable("Mean latency breakdown").columns("Part", "#Mean (ms)", "#Share of E2E (%)", "In TTFT");
        double[] means = figures.meanPartsMs();
        double total = Arrays.stream(means).sum();
        for (Part part : Part.values()) {
            row(table, part.label, means[part.ordinal()], total, part.isBeforeFirstToken());
        }
        row(table, "total", total, total, false);
        return table;
    }

    private static void row(DataTable table, String label, double ms, double total, boolean isInTtft) {
        if (ms > 0) {
            table.row(
                    label,
                    Numbers.significant(ms, DIGITS),
                    Numbers.fixed(100 * ms / total, 1),
                    isInTtft ? "yes" : "no");
        }
    }

    private String transfers(Map<String, Double> all) {
        return "Prefill instances transferred the KV cache of " + Numbers.count(figures.handed) + " of "
                + Count.of(figures.size(), "request") + " to decode instances, "
                + Numbers.significant(figures.sim.handoffs().bytes() / 1e9, DIGITS) + " GB in total, "
                + Numbers.count(Math.round(figures.sim.handoffs().tokenBytes())) + " bytes per token. A transfer takes "
                + ms(all, "transfer_p50_ms") + " at P50 and " + ms(all, "transfer_p99_ms")
                + " at P99; the wait for memory takes "
                + ms(all, "transfer_wait_p99_ms") + " at P99. At most "
                + Numbers.count(Math.round(figures.sim.handoffs().maxConcurrent())) + " transfers ran at once"
                + (figures.sim.handoffs().sharesLinks()
                        ? "; the busiest link would be in use " + Numbers.fixed(100 * figures.linkShare(), 1)
                                + " % of the time at full bandwidth."
                        : ".");
    }
}
