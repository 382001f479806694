package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.sim.serving.SustainedLoad;
import dev.stagesim.sim.serving.SustainedLoad.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** What limits a cluster: whether requests pile up, where they wait then, and who is short of memory. */
public final class ClusterFindings {
    private static final double FULL = 0.95;
    private static final double LINK_FULL = 0.9;
    private static final double SHORT = 0.1;
    private static final double BUSY = 0.9;
    private static final double NS = 1e9;

    /** What limits, by a word for the answer, a title, what shows it and what helps. */
    record Finding(String word, String title, String evidence, String advice) {}

    private final ClusterFigures figures;
    private final List<Finding> findings = new ArrayList<>();
    private final Verdict verdict;

    public ClusterFindings(ClusterFigures figures) {
        this.figures = figures;
        verdict = SustainedLoad.of(figures.timeline, figures.seconds, figures.size())
                .verdict();
        figures.pools.forEach(this::memory);
        if (verdict == Verdict.SATURATED) {
            findings.add(0, longestWait());
        } else if (figures.linkShare() >= LINK_FULL) {
            findings.add(link());
        }
        OperationsReport operations = new OperationsReport(figures);
        operations.late().ifPresent(findings::add);
        operations.lost().ifPresent(findings::add);
        figures.pools.stream().filter(pool -> requests(pool) == 0).forEach(this::unused);
    }

    Verdict load() {
        return verdict;
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
                    "Pool " + pool.name() + " is short of memory for keys and values",
                    "At most " + percent(figures.peakKvUsage(pool))
                            + " of an instance's cache was in use; waiting for room took " + percent(memoryWaitShare)
                            + (pool.role() == PoolRole.DECODE ? " of the time of its requests." : " of the run."),
                    "More instances or tp, a KV cache in fewer bits, or devices with more memory."));
        }
    }

    private boolean isShort(PoolPlan pool) {
        return figures.peakKvUsage(pool) >= FULL && memoryWaitShare(figures, pool) >= SHORT;
    }

    /**
     * How far a pool lacks memory: the share of the run in which requests waited for it; in decode pools, the share of
     * the time of their requests in which these waited for room.
     */
    static double memoryWaitShare(ClusterFigures figures, PoolPlan pool) {
        if (pool.role() != PoolRole.DECODE) {
            return figures.memoryWaitShare(pool);
        }
        double all = sum(figures, pool, LatencyBreakdown::e2e);
        return all == 0 ? 0 : sum(figures, pool, LatencyBreakdown::transferWait) / all;
    }

    /** The sum of a part over the requests handed to a pool, in ns. */
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

    /** Whether a prefill pool has time but no memory, which requests hold that are done there and cannot leave. */
    private boolean isHeldUp(PoolPlan pool) {
        return pool.role() == PoolRole.PREFILL
                && figures.peakKvUsage(pool) >= FULL
                && figures.busy(pool) < BUSY
                && all(LatencyBreakdown::transferWait) + all(LatencyBreakdown::transfer)
                        > all(LatencyBreakdown::prefill);
    }

    private long requests(PoolPlan pool) {
        return figures.of(pool).stream().mapToLong(i -> i.requests).sum();
    }

    private void unused(PoolPlan pool) {
        boolean hasOthers =
                figures.pools.stream().anyMatch(other -> other.role() == pool.role() && requests(other) > 0);
        String advice = pool.role() == PoolRole.BOTH
                ? "A greater cluster.split.tokens leaves more requests whole; or leave the pool out."
                : "A smaller cluster.split.tokens splits more requests; or leave the pool out.";
        findings.add(new Finding(
                pool.name() + " got no request",
                "Pool " + pool.name() + " got no request",
                hasOthers ? "Other pools of its role served all of them." : "No request was for its role.",
                hasOthers ? "Leave the pool out." : advice));
    }

    /** All that requests waited for the instances of a pool, in ns. */
    private double wait(PoolPlan pool) {
        double sum = sum(figures, pool, parts -> parts.transferWait() + parts.decodeQueue());
        for (int i = 0; i < figures.size(); i++) {
            boolean isHere =
                    figures.instances.get(figures.timeline.first[i]).pool.equals(pool);
            sum += isHere ? figures.parts.get(i).queue() : 0;
        }
        return sum;
    }

    private Finding longestWait() {
        PoolPlan worst = figures.pools.get(0);
        for (PoolPlan pool : figures.pools) {
            worst = wait(pool) > wait(worst) ? pool : worst;
        }
        double moving = all(LatencyBreakdown::transfer);
        double before = isHeldUp(worst) ? all(LatencyBreakdown::transferWait) : wait(worst);
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
        String instances = pool.role() == PoolRole.BOTH
                ? "More instances"
                : "More " + pool.role().name().toLowerCase(Locale.ROOT) + " instances";
        if (isShort(pool)) {
            return instances + ", or more memory for their KV cache.";
        }
        return instances + (pool.role() == PoolRole.BOTH ? ", or larger limits of a batch." : ".");
    }

    /** The decode pool for whose room requests waited longest, while they held the memory of a prefill pool. */
    private Finding holdsUp(PoolPlan held) {
        PoolPlan worst = figures.pools.stream()
                .filter(pool -> pool.role() == PoolRole.DECODE)
                .max(Comparator.comparingDouble(pool -> sum(figures, pool, LatencyBreakdown::transferWait)))
                .orElseThrow();
        return new Finding(
                worst.name() + " is saturated",
                "Pool " + worst.name() + " is saturated and holds up " + held.name(),
                "Requests waited " + seconds(all(LatencyBreakdown::transferWait) / figures.size())
                        + " for room in decode pools on average, and filled the KV cache of " + held.name()
                        + " meanwhile, which was busy " + percent(figures.busy(held)) + " of the time; "
                        + worst.name() + " was busy " + percent(figures.busy(worst)) + ", with "
                        + percent(figures.peakKvUsage(worst)) + " of its KV cache in use at most.",
                advice(worst));
    }

    private Finding link() {
        return new Finding(
                "the link is saturated",
                "The links between the pools are saturated",
                "The busiest needs " + percent(figures.linkShare()) + " of the time for its bytes.",
                "More bandwidth, a KV cache in fewer bits, or cluster.split.kind=when_longer_than.");
    }

    /** The outcome in a few words. */
    public String word() {
        String but = verdict == Verdict.SATURATED ? ": " : ", but ";
        String words =
                switch (verdict) {
                    case SUSTAINED -> "it keeps up";
                    case SATURATED -> "requests pile up";
                    case TOO_SHORT -> "the run is too short to tell whether it keeps up";
                    case AT_ONCE -> "all requests come at once";
                };
        return words + (findings.isEmpty() ? "" : but + findings.get(0).word());
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
