package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.report.LatencyBreakdown.Part;
import dev.stagesim.model.KeyNames;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.report.Report.Tone;
import dev.stagesim.sim.serving.metrics.SustainedLoad;
import dev.stagesim.sim.serving.metrics.SustainedLoad.Verdict;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Finds the bottlenecks of a cluster: saturation, queues and lack of memory. */
public final class ClusterFindings {
    private static final double FULL = 0.95;
    private static final double LINK_FULL = 0.9;
    private static final double SHORT = 0.1;
    private static final double BUSY = 0.9;
    private static final double NS = 1e9;
    private static final double MEDIAN = 0.5;
    private static final double TAIL = 0.99;

    /** A bottleneck: text for the verdict, title, evidence and remedy. */
    public record Finding(String word, String title, String evidence, String advice) {}

    private final ClusterFigures figures;
    private final List<Finding> findings = new ArrayList<>();
    private final Verdict verdict;
    /** P99 of the wait before prefills. */
    private final double waitMs;

    private final boolean waitsLong;

    public ClusterFindings(ClusterFigures figures) {
        this.figures = figures;
        verdict = figures.load();
        waitMs = waitMs();
        waitsLong = waitsLong();
        boolean mustWait = waitsLong || verdict == Verdict.SATURATED;
        Optional<Finding> outages = figures.failures()
                .filter(failures -> mustWait)
                .flatMap(failures -> failures.limits(verdict == Verdict.SATURATED));
        if (outages.isPresent()) {
            findings.add(outages.get()); // full caches and long queues are its consequences
        } else {
            figures.pools.forEach(this::memory);
        }
        if (verdict == Verdict.SATURATED && outages.isEmpty()) {
            findings.add(0, longestWait());
        } else if (figures.linkShare() >= LINK_FULL) {
            findings.add(link());
        }
        figures.failures()
                .flatMap(FailureReport::tooShort)
                .ifPresent(
                        finding -> findings.add(verdict == Verdict.SATURATED || outages.isPresent() ? 1 : 0, finding));
        OperationsReport operations = new OperationsReport(figures);
        operations.late().ifPresent(late -> findings.add(operations.isMostlyLate() ? 0 : findings.size(), late));
        operations.lost().ifPresent(findings::add);
        figures.pools.stream().filter(pool -> requests(pool) == 0).forEach(this::unused);
    }

    /** Returns the rating of the run: good if the load was sustained and requests did not wait long. */
    Tone tone() {
        return switch (verdict) {
            case SUSTAINED -> waitsLong ? Tone.WARN : Tone.GOOD;
            case SATURATED -> Tone.BAD;
            default -> Tone.PLAIN;
        };
    }

    /** Returns the time in ns that a request waited before its prefill. */
    static long waited(LatencyBreakdown parts) {
        return parts.get(Part.LOST) + parts.get(Part.QUEUE);
    }

    private double waitMs() {
        double[] waits = figures.sortedMs(ClusterFindings::waited);
        return waits.length == 0 ? 0 : Quantiles.ofSorted(waits, TAIL);
    }

    /** Returns true if the P99 wait before prefills is far above the time to the first token without it. */
    private boolean waitsLong() {
        double[] unloaded = figures.sortedMs(parts -> parts.ttft() - waited(parts));
        return unloaded.length > 0 && SustainedLoad.isLongWait(waitMs, Quantiles.ofSorted(unloaded, MEDIAN));
    }

    private static String percent(double share) {
        return Numbers.fixed(100 * share, 0) + " %";
    }

    private static String seconds(double ns) {
        return Numbers.significant(ns / NS, 3) + " s";
    }

    private void memory(PoolPlan pool) {
        double memoryWaitShare = memoryWaitShare(figures, pool);
        if (isShort(pool) && !isHeldUp(pool)) {
            findings.add(new Finding(
                    pool.name() + " is short of KV cache",
                    "Pool " + pool.name() + " is short of KV cache",
                    "At most " + percent(figures.peakKvUsage(pool))
                            + " of the KV cache of an instance was in use; requests waited for memory during "
                            + percent(memoryWaitShare)
                            + (pool.role() == PoolRole.DECODE ? " of their time." : " of the run."),
                    "Add instances, raise tp, store the KV cache in fewer bits, or use devices with more"
                            + " memory."));
        }
    }

    private boolean isShort(PoolPlan pool) {
        return figures.peakKvUsage(pool) >= FULL && memoryWaitShare(figures, pool) >= SHORT;
    }

    /**
     * Returns the share of the run during which requests waited for KV cache; for decode pools, the share of the time
     * of their requests.
     */
    static double memoryWaitShare(ClusterFigures figures, PoolPlan pool) {
        if (pool.role() != PoolRole.DECODE) {
            return figures.memoryWaitShare(pool);
        }
        double all = sum(figures, pool, LatencyBreakdown::e2e);
        return all == 0 ? 0 : sum(figures, pool, Part.TRANSFER_WAIT) / all;
    }

    /** Returns the sum of a part over the requests of a decode pool, in ns. */
    private static double sum(ClusterFigures figures, PoolPlan pool, ToLongFunction<LatencyBreakdown> part) {
        RequestTimeline timeline = figures.timeline;
        double sum = 0;
        for (int i = 0; i < figures.size(); i++) {
            boolean isHere = timeline.isHandedOff(i)
                    && figures.instances.get(timeline.second[i]).pool.equals(pool);
            sum += isHere ? part.applyAsLong(figures.parts.get(i)) : 0;
        }
        return sum;
    }

    private double all(ToLongFunction<LatencyBreakdown> part) {
        return figures.parts.stream().mapToDouble(part::applyAsLong).sum();
    }

    /** Returns true if the memory of a prefill pool is occupied by requests that wait for a decode instance. */
    private boolean isHeldUp(PoolPlan pool) {
        return pool.role() == PoolRole.PREFILL
                && figures.peakKvUsage(pool) >= FULL
                && figures.busy(pool) < BUSY
                && all(Part.TRANSFER_WAIT) + all(Part.TRANSFER) > all(Part.PREFILL);
    }

    private long requests(PoolPlan pool) {
        return figures.of(pool).stream().mapToLong(i -> i.requests).sum();
    }

    private void unused(PoolPlan pool) {
        boolean hasOthers =
                figures.pools.stream().anyMatch(other -> other.role() == pool.role() && requests(other) > 0);
        String advice = pool.role() == PoolRole.BOTH
                ? "Raise cluster.split.tokens to split fewer requests, or remove the pool."
                : "Lower cluster.split.tokens to split more requests, or remove the pool.";
        findings.add(new Finding(
                pool.name() + " received no request",
                "Pool " + pool.name() + " received no request",
                hasOthers ? "Other pools of the same role served all requests." : "No request required this role.",
                hasOthers ? "Remove the pool." : advice));
    }

    /** Returns the total time that requests waited for a pool, in ns. */
    private double wait(PoolPlan pool) {
        double sum = sum(figures, pool, parts -> parts.get(Part.TRANSFER_WAIT) + parts.get(Part.DECODE_QUEUE));
        for (int i = 0; i < figures.size(); i++) {
            boolean isHere =
                    figures.instances.get(figures.timeline.first[i]).pool.equals(pool);
            sum += isHere ? figures.parts.get(i).get(Part.QUEUE) : 0;
        }
        return sum;
    }

    private Finding longestWait() {
        PoolPlan worst = figures.pools.get(0);
        for (PoolPlan pool : figures.pools) {
            worst = wait(pool) > wait(worst) ? pool : worst;
        }
        double moving = all(Part.TRANSFER);
        double before = isHeldUp(worst) ? all(Part.TRANSFER_WAIT) : wait(worst);
        if (moving > before && figures.linkShare() >= LINK_FULL / 2) {
            return link();
        }
        if (isHeldUp(worst)) {
            return holdsUp(worst);
        }
        return new Finding(
                worst.name() + " is saturated",
                "Pool " + worst.name() + " is saturated",
                "Requests waited " + seconds(wait(worst) / figures.size())
                        + " for it on average; its instances were busy " + percent(figures.busy(worst))
                        + " of the time.",
                advice(worst));
    }

    private String advice(PoolPlan pool) {
        String instances =
                pool.role() == PoolRole.BOTH ? "Add instances" : "Add " + KeyNames.constant(pool.role()) + " instances";
        if (isShort(pool)) {
            return instances + ", or memory for their KV cache.";
        }
        return instances + (pool.role() == PoolRole.BOTH ? ", or raise the batch limits." : ".");
    }

    /** Reports the decode pool that blocks the memory of a prefill pool. */
    private Finding holdsUp(PoolPlan blocked) {
        PoolPlan worst = figures.pools.stream()
                .filter(pool -> pool.role() == PoolRole.DECODE)
                .max(Comparator.comparingDouble(pool -> sum(figures, pool, Part.TRANSFER_WAIT)))
                .orElseThrow();
        return new Finding(
                worst.name() + " is saturated",
                "Pool " + worst.name() + " is saturated and blocks " + blocked.name(),
                "Requests waited " + seconds(all(Part.TRANSFER_WAIT) / figures.size())
                        + " on average for memory in decode pools, and occupied the KV cache of "
                        + blocked.name()
                        + ", which was busy " + percent(figures.busy(blocked)) + " of the time; "
                        + worst.name() + " was busy " + percent(figures.busy(worst)) + ", with "
                        + percent(figures.peakKvUsage(worst)) + " of its KV cache in use at peak.",
                advice(worst));
    }

    private Finding link() {
        return new Finding(
                "the link is saturated",
                "The links between the pools are saturated",
                "The busiest needs " + percent(figures.linkShare()) + " of the time to transfer its bytes.",
                "Raise the bandwidth, store the KV cache in fewer bits, or set"
                        + " cluster.split.kind=by_prompt_tokens.");
    }

    /** Returns the verdict in a few words. */
    public String word() {
        boolean isLate = verdict == Verdict.SUSTAINED && waitsLong;
        String but = verdict == Verdict.SATURATED ? ": " : isLate ? "; " : ", but ";
        String words =
                switch (verdict) {
                    case SUSTAINED ->
                        isLate
                                ? "the queue does not grow, but requests wait " + seconds(1e6 * waitMs)
                                        + " (P99) for their prefill"
                                : "it keeps up" + drain();
                    case SATURATED -> "requests pile up";
                    case TOO_SHORT -> "the run is too short to judge the load";
                    case AT_ONCE ->
                        figures.trace.closedLoop().map(ClosedLoop::toString).orElse("all requests arrive at once");
                };
        return words + (findings.isEmpty() ? "" : but + findings.get(0).word());
    }

    /** Returns the rate of completions if the time after the last arrival lowers it visibly. */
    private String drain() {
        double served = figures.served();
        return served >= SustainedLoad.LOOKS_LOST * figures.offered()
                ? ""
                : " (" + Numbers.significant(served, 3) + " requests/s over the whole run, including "
                        + seconds(NS * figures.sustained().drainSeconds()) + " after the last arrival)";
    }

    void addTo(Report report) {
        if (findings.isEmpty()) {
            report.prose("No pool and no link is saturated.");
        }
        for (Finding finding : findings) {
            report.finding("limit", true, finding.title(), List.of(finding.evidence()), finding.advice());
        }
    }
}
