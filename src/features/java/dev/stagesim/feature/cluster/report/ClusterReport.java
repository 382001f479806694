package dev.stagesim.feature.cluster.report;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.model.Count;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.report.Report.Tone;
import dev.stagesim.sim.serving.SustainedLoad.Verdict;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** A simulated cluster in words, tables and drawings. */
public record ClusterReport(
        String model, ClusterFigures figures, RunConditions conditions, Optional<BaselineComparison> against) {
    private static final int DIGITS = 3;

    /** A row of the table of parts. */
    private record Row(String name, boolean isFirst, ToLongFunction<LatencyBreakdown> sum) {}

    private static final List<Row> ROWS = List.of(
            new Row("In front of the cluster", true, LatencyBreakdown::gateway),
            new Row("With instances that failed", true, LatencyBreakdown::lost),
            new Row("API server", true, LatencyBreakdown::routing),
            new Row("Queue for the prompt", true, LatencyBreakdown::queue),
            new Row("Reads from tiers", true, LatencyBreakdown::tier),
            new Row("Prompt", true, LatencyBreakdown::prefill),
            new Row("Without memory before the first token", true, LatencyBreakdown::evicted),
            new Row("API server of the decode instance", false, LatencyBreakdown::secondRouting),
            new Row("Wait for KV cache (decode)", false, LatencyBreakdown::transferWait),
            new Row("Transfer", false, LatencyBreakdown::transfer),
            new Row("Queue (decode)", false, LatencyBreakdown::decodeQueue),
            new Row("Output", false, LatencyBreakdown::decode),
            new Row("Interference of prefills and preemption", false, LatencyBreakdown::interference),
            new Row("All", false, LatencyBreakdown::e2e));

    /** Of all figures by name. */
    public Report report(Map<String, Double> all) {
        ClusterFindings findings = new ClusterFindings(figures);
        Report report = new Report("Simulated cluster")
                .footer("Stagesim · cluster_sim")
                .answer(tone(findings.load()), answer(findings, all));
        report.conditions(conditions);
        report.card("P99 TTFT", ms(all, "ttft_p99_ms"), "P50 " + ms(all, "ttft_p50_ms"))
                .card("P99 TPOT", ms(all, "tpot_p99_ms"), "P50 " + ms(all, "tpot_p50_ms"))
                .card(
                        "Served",
                        Numbers.significant(figures.served(), DIGITS) + " requests/s",
                        "of " + Numbers.significant(figures.offered(), DIGITS) + " offered, over "
                                + Numbers.significant(figures.seconds, DIGITS) + " s to the last output");
        report.section("limits", "What limits");
        findings.addTo(report);
        report.section("pools", "Pools").table(pools());
        report.faint(
                "Short of memory: share of the run in which requests waited for KV cache; in decode pools, share of their"
                        + " requests' time that these waited for it.");
        report.charts(ClusterCharts.of(figures));
        List<String> leftOut = ClusterCharts.leftOut(figures);
        if (!leftOut.isEmpty()) {
            report.faint("Not drawn: " + String.join(", ", leftOut) + "; cluster_pools.csv has all pools.");
        }
        report.section("parts", "Where the time goes").table(parts());
        report.faint(
                "Means over all requests. The parts of each request are in cluster_requests.csv; they add up to its"
                        + " times to the last nanosecond.");
        if (figures.handed > 0) {
            report.section("transfers", "Transfers").prose(transfers(all));
        }
        figures.kvEvents().addTo(report);
        figures.experts().addTo(report);
        new TenantReport(figures).addTo(report);
        new OperationsReport(figures).addTo(report);
        return report;
    }

    private static Tone tone(Verdict load) {
        return switch (load) {
            case SUSTAINED -> Tone.GOOD;
            case SATURATED -> Tone.BAD;
            default -> Tone.PLAIN;
        };
    }

    private static String ms(Map<String, Double> all, String figure) {
        double value = all.getOrDefault(figure, Double.NaN);
        return Double.isNaN(value) ? Numbers.NONE : Numbers.significant(value, DIGITS) + " ms";
    }

    private String answer(ClusterFindings findings, Map<String, Double> all) {
        return model + " on " + devices()
                + " in " + words() + ": P99 TTFT " + ms(all, "ttft_p99_ms") + " and P99 TPOT " + ms(all, "tpot_p99_ms")
                + (Double.isFinite(figures.offered())
                        ? " at " + Numbers.significant(figures.offered(), DIGITS) + " requests/s"
                        : "")
                + "; " + findings.word() + "."
                + against.map(other -> " " + other.sentence()).orElse("");
    }

    private String devices() {
        boolean isFixed = figures.pools.stream().allMatch(pool -> pool.scaling().isEmpty());
        if (isFixed) {
            return figures.devices() + (figures.devices() == 1 ? " device" : " devices");
        }
        double mean = figures.pools.stream()
                .mapToDouble(pool -> figures.meanUp(pool) * pool.shape().devices())
                .sum();
        return Numbers.significant(mean, DIGITS) + " devices on average";
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
                    pool.role().name().toLowerCase(Locale.ROOT),
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
                new DataTable("Mean time of a request").columns("Part", "#Mean (ms)", "#Share of E2E (%)", "In TTFT");
        double[] means = figures.meansMs(ROWS.stream().map(Row::sum).toList());
        double whole = means[means.length - 1];
        for (int i = 0; i < means.length; i++) {
            if (means[i] > 0) {
                table.row(
                        ROWS.get(i).name(),
                        Numbers.significant(means[i], DIGITS),
                        Numbers.fixed(100 * means[i] / whole, 1),
                        ROWS.get(i).isFirst() ? "yes" : "no");
            }
        }
        return table;
    }

    private String transfers(Map<String, Double> all) {
        return "Prefill instances handed " + Numbers.count(figures.handed) + " of "
                + Count.of(figures.size(), "request") + " to decode instances, "
                + Numbers.significant(figures.sim.handoffs().bytes() / 1e9, DIGITS) + " GB of keys and values at "
                + Numbers.count(Math.round(figures.sim.handoffs().tokenBytes())) + " bytes a token. P50 of a transfer "
                + ms(all, "transfer_p50_ms") + ", P99 " + ms(all, "transfer_p99_ms") + "; P99 of the wait for room "
                + ms(all, "transfer_wait_p99_ms") + ". At most "
                + Numbers.count(Math.round(figures.sim.handoffs().maxConcurrent())) + " at once"
                + (figures.sim.handoffs().sharesLinks()
                        ? "; the busiest link would need " + Numbers.fixed(100 * figures.linkShare(), 1)
                                + " % of the time at its full bandwidth."
                        : ".");
    }
}
