package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.autoscaler.Fleet;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.model.Count;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.sim.serving.metrics.DevicePower;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Reports the number of instances, their cost, and the effect of starts and failures on requests. */
public final class OperationsReport {
    private static final int DIGITS = 3;
    private static final double LATE = 0.1;

    /** Share of TTFT from which starts are the first cause of a missed target. */
    private static final double MOSTLY_LATE = 0.5;

    private static final double TAIL = 0.99;

    /** Number of starts that a load must last to show the effect of scaling. */
    private static final int STARTS = 5;

    private final ClusterFigures figures;
    private final Costs costs;
    private final List<Fleet.Change> changes;

    /**
     * Boundaries of the phases with starting instances: starts at even indexes, ends at odd ones. {@code sums} contains
     * their total length in seconds up to each boundary.
     */
    private final List<Double> bounds = new ArrayList<>();

    private final List<Double> sums = new ArrayList<>(List.of(0.0));

    public OperationsReport(ClusterFigures figures) {
        this.figures = figures;
        costs = figures.costs;
        changes = figures.sim.fleet().changes();
        starts();
    }

    private long count(String kind, PoolPlan pool) {
        return changes.stream()
                .filter(change -> change.kind().equals(kind) && change.pool().equals(pool))
                .count();
    }

    private long count(String kind) {
        return changes.stream().filter(change -> change.kind().equals(kind)).count();
    }

    /** Finds the phases with starting instances. */
    private void starts() {
        int[] starting = new int[figures.pools.size()];
        double since = Double.NaN;
        for (Fleet.Change change : changes) {
            starting[figures.pools.indexOf(change.pool())] = change.starting();
            boolean isAny = Arrays.stream(starting).anyMatch(count -> count > 0);
            if (isAny == Double.isNaN(since)) {
                bounds.add(change.at());
                since = isAny ? change.at() : Double.NaN;
            }
        }
        bounds.add(Double.POSITIVE_INFINITY);
        for (int i = 1; i < bounds.size(); i++) {
            double span = i % 2 == 1 ? Math.min(figures.seconds, bounds.get(i)) - bounds.get(i - 1) : 0;
            sums.add(sums.get(i - 1) + Math.max(0, span));
        }
    }

    /** Returns the seconds up to a time during which an instance was starting. */
    private double starting(double until) {
        int found = Collections.binarySearch(bounds, until);
        int at = found >= 0 ? found : -found - 2;
        return at < 0 ? 0 : sums.get(at) + (at % 2 == 0 ? until - bounds.get(at) : 0);
    }

    /** Returns the share of TTFT that requests waited while an instance was starting. */
    public double lateShare() {
        RequestTimeline timeline = figures.timeline;
        double late = 0;
        double all = 0;
        for (int i = 0; i < figures.size(); i++) {
            if (timeline.isServed(i)) {
                late += starting(timeline.started[i]) - starting(timeline.arrived[i]);
                all += timeline.firstToken[i] - timeline.arrived[i];
            }
        }
        return all > 0 ? late / all : 0;
    }

    /** Returns true if requests waited during most of their TTFT while an instance was starting. */
    boolean isMostlyLate() {
        return lateShare() >= MOSTLY_LATE;
    }

    /** Returns the finding that no ordered instance could start before the last arrival, so costs and scaling mislead. */
    public Optional<ClusterFindings.Finding> tooShort() {
        double start = startSeconds();
        if (count("ordered") == 0 || count("open") > 0 || start <= figures.lastArrival) {
            return Optional.empty();
        }
        return Optional.of(new ClusterFindings.Finding(
                "the run is too short to judge scaling",
                "The run is too short to judge scaling",
                "The last request arrives after " + Numbers.significant(figures.lastArrival, DIGITS)
                        + " s, and a start takes " + Numbers.significant(start, DIGITS)
                        + " s: no ordered instance could serve a request in time, but all are billed.",
                "Set requests="
                        + 100 * Math.round(Math.ceil(STARTS * start / figures.lastArrival * figures.size() / 100))
                        + " or more, so that the load lasts " + STARTS + " starts, or shorten the starts"
                        + " (cluster.start)."));
    }

    private double startSeconds() {
        return changes.stream()
                .filter(change -> change.kind().equals("ordered"))
                .mapToDouble(change -> change.pool().startSeconds().store())
                .max()
                .orElse(0);
    }

    /** Returns the finding that scaling is late, or that the run is too short to judge it. */
    Optional<ClusterFindings.Finding> late() {
        Optional<ClusterFindings.Finding> tooShort = tooShort();
        double share = count("ordered") == 0 ? 0 : lateShare();
        if (tooShort.isPresent() || share < LATE) {
            return tooShort;
        }
        double tail = Quantiles.ofSorted(figures.sortedMs(LatencyBreakdown::ttft), TAIL);
        if (tail <= figures.ttftTargetMs) {
            return Optional.empty();
        }
        double start = startSeconds();
        return Optional.of(new ClusterFindings.Finding(
                "scaling is late: a start takes " + Numbers.significant(start, DIGITS) + " s",
                "Scaling is late",
                "P99 TTFT is " + Numbers.fixed(tail, 0) + " ms (target "
                        + Numbers.plain(figures.ttftTargetMs) + "). Requests waited during "
                        + Numbers.fixed(100 * share, 0)
                        + " % of their TTFT while instances were starting. A start takes "
                        + Numbers.significant(start, DIGITS) + " s.",
                moreInstances() + "lower the target of the rule, or shorten the starts (cluster.start): images on"
                        + " the nodes, weights from another instance."));
    }

    /**
     * Returns the keys that keep the mean number of running instances from the start; empty if no pool can have a
     * higher minimum.
     */
    private String moreInstances() {
        String keys = figures.pools.stream()
                .filter(pool -> count("ordered", pool) > 0)
                .flatMap(pool ->
                        pool
                                .scaling()
                                .filter(range -> range.min() < range.max())
                                .map(range -> keys(pool, range))
                                .stream())
                .collect(Collectors.joining(" "));
        return keys.isEmpty() ? "" : "Set " + keys + ", ";
    }

    private String keys(PoolPlan pool, PoolPlan.Range range) {
        int mean = (int) Math.ceil(figures.meanUp(pool));
        int count = Math.min(range.max(), Math.max(Math.max(range.min(), pool.replicas()) + 1, mean));
        String key = "cluster.pools." + pool.name();
        return key + ".scaling.min=" + count + " " + key + ".replicas=" + count;
    }

    /** Returns the finding that requests were lost; empty if none were. */
    public Optional<ClusterFindings.Finding> lost() {
        long lost = Arrays.stream(figures.timeline.outcome)
                .filter(outcome -> outcome == RequestTimeline.Outcome.LOST)
                .count();
        return lost == 0
                ? Optional.empty()
                : Optional.of(new ClusterFindings.Finding(
                        Count.of(lost, "request") + " lost",
                        "Failures lost " + Count.of(lost, "request"),
                        "Their instances failed more often than cluster.failures.retries allows.",
                        "Raise cluster.failures.retries."));
    }

    void addTo(Report report) {
        report.section("operations", "Instances and cost").table(table());
        report.faint("Billed: hours from the order of each instance to its removal. Cost: rent from the hardware"
                + " cards. Energy: "
                + Numbers.fixed(100 * costs.idlePower(), 0)
                + " % of board power while an instance is billed, "
                + Numbers.fixed(100 * DevicePower.BUSY, 0)
                + " % plus "
                + DevicePower.PER_UTILIZATION
                + " times the FLOPs utilisation while it runs a batch; hosts, network and cooling are not included.");
        costs.usdPerMillion()
                .ifPresent(usd -> report.prose("A million output tokens cost " + Numbers.significant(usd, DIGITS)
                        + " USD"
                        + costs.joulesPerToken()
                                .map(joules ->
                                        ", and each output token takes " + Numbers.significant(joules, DIGITS) + " J")
                                .orElse("")
                        + "."));
        figures.failures().ifPresent(failures -> report.prose(failures.text()));
        if (count("failed") > 0) {
            long again =
                    Arrays.stream(figures.timeline.attempts).filter(n -> n > 0).count();
            report.prose(Count.of(count("failed"), "failure") + " took "
                    + Count.of(again, "request") + ", whose "
                    + Numbers.count(figures.sim.lostTokens()) + " computed tokens were lost.");
        }
    }

    private DataTable table() {
        DataTable table = new DataTable("Instances over the run")
                .columns("Pool", "#Mean running", "#Ordered", "#Failed", "#Billed (h)", "#Cost (USD)", "#Energy (kWh)");
        boolean hasCarbon =
                figures.pools.stream().anyMatch(pool -> costs.carbonKg(pool).isPresent());
        if (hasCarbon) {
            table.number("Carbon (kg)");
        }
        for (PoolPlan pool : figures.pools) {
            List<String> row = new ArrayList<>(List.of(
                    pool.name(),
                    Numbers.significant(figures.meanUp(pool), DIGITS),
                    Numbers.count(count("ordered", pool)),
                    Numbers.count(count("failed", pool)),
                    Numbers.significant(costs.hours(pool), DIGITS),
                    costs.usd(pool).map(usd -> Numbers.significant(usd, DIGITS)).orElse(Numbers.NONE),
                    costs.joules(pool)
                            .map(joules -> Numbers.significant(joules / Costs.J_PER_KWH, DIGITS))
                            .orElse(Numbers.NONE)));
            if (hasCarbon) {
                row.add(costs.carbonKg(pool)
                        .map(kg -> Numbers.significant(kg, DIGITS))
                        .orElse(Numbers.NONE));
            }
            table.row(row.toArray(new String[0]));
        }
        return table;
    }
}
