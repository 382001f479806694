package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.ClusterSimSettings.Role;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;

/** What limits a cluster: whether requests pile up, where they wait then, and who is short of memory. */
final class ClusterFindings {
    private static final double WAITING_SHARE = 0.05;
    private static final double BEHIND_SHARE = 0.03;
    private static final int FEW = 4;
    private static final double GROWTH = 1.3;
    private static final double FULL = 0.95;
    private static final double LINK_FULL = 0.9;
    private static final double SHORT = 0.1;
    private static final double NS = 1e9;

    /** What a run tells of the load, by the rules of the serving simulation. */
    enum Verdict {
        SUSTAINED("it keeps up"),
        SATURATED("requests pile up"),
        TOO_SHORT("the run is too short to tell whether it keeps up"),
        AT_ONCE("all requests come at once");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }
    }

    private record Finding(String word, String title, String evidence, String advice) {}

    private final ClusterFigures figures;
    private final List<Finding> findings = new ArrayList<>();
    private final Verdict verdict;
    private final double first;
    private final double last;

    ClusterFindings(ClusterFigures figures) {
        this.figures = figures;
        first = figures.trace.arrivalSeconds(0);
        last = figures.lastArrival;
        verdict = verdict();
        figures.pools.forEach(this::memory);
        if (verdict == Verdict.SATURATED) {
            findings.add(0, longestWait());
        } else if (figures.linkShare() >= LINK_FULL) {
            findings.add(link());
        }
    }

    private int count(IntPredicate test) {
        int count = 0;
        for (int i = 0; i < figures.size(); i++) {
            count += test.test(i) ? 1 : 0;
        }
        return count;
    }

    private int inSystem(double time) {
        return count(i -> figures.life.arrived[i] <= time && figures.life.completed[i] > time);
    }

    private Verdict verdict() {
        Life life = figures.life;
        double drain = figures.seconds - last;
        if (last == first) {
            return Verdict.AT_ONCE;
        }
        boolean isBehind = drain > BEHIND_SHARE * (last - first);
        int waiting = count(
                i -> life.started[i] > last || (life.isHanded(i) && life.handed[i] <= last && life.resumed[i] > last));
        if (isBehind && waiting >= Math.max(FEW, WAITING_SHARE * figures.size())) {
            return Verdict.SATURATED;
        }
        if (drain > last - first) {
            return Verdict.TOO_SHORT;
        }
        double halfway = inSystem(first + (last - first) / 2);
        boolean isGrowing = inSystem(last) > GROWTH * halfway + Math.sqrt(figures.size());
        return isBehind && isGrowing ? Verdict.SATURATED : Verdict.SUSTAINED;
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
        boolean decodes = pool.role() == Role.DECODE;
        double lacked = decodes
                ? wait(pool) / figures.parts.stream().mapToLong(Parts::e2e).sum()
                : figures.lacked(pool);
        if (figures.held(pool) >= FULL && lacked >= SHORT) {
            findings.add(new Finding(
                    pool.name() + " is short of KV cache",
                    "Pool " + pool.name() + " is short of memory for keys and values",
                    "At most " + percent(figures.held(pool))
                            + " of an instance's cache was in use; waiting for room took " + percent(lacked)
                            + (decodes ? " of the time of requests." : " of the run."),
                    "More instances or tp, a KV cache in fewer bits, or devices with more memory."));
        }
    }

    /** All that requests waited for the instances of a pool, in ns. */
    private double wait(PoolPlan pool) {
        Life life = figures.life;
        double sum = 0;
        for (int i = 0; i < figures.size(); i++) {
            Parts parts = figures.parts.get(i);
            if (figures.instances.get(life.first[i]).pool.equals(pool)) {
                sum += parts.queue();
            }
            if (life.isHanded(i) && figures.instances.get(life.second[i]).pool.equals(pool)) {
                sum += parts.transferWait() + parts.decodeQueue();
            }
        }
        return sum;
    }

    private Finding longestWait() {
        PoolPlan worst = figures.pools.get(0);
        for (PoolPlan pool : figures.pools) {
            worst = wait(pool) > wait(worst) ? pool : worst;
        }
        double moving = figures.parts.stream().mapToDouble(Parts::transfer).sum();
        if (moving > wait(worst) && figures.linkShare() >= LINK_FULL / 2) {
            return link();
        }
        return new Finding(
                worst.name() + " is saturated",
                "Pool " + worst.name() + " is saturated",
                "Requests waited " + seconds(wait(worst) / figures.size())
                        + " for it on average; its instances were busy " + percent(figures.busy(worst))
                        + " of the time.",
                worst.role() == Role.BOTH
                        ? "More instances, or larger limits of a batch."
                        : "More " + worst.role().name().toLowerCase(Locale.ROOT) + " instances.");
    }

    private Finding link() {
        return new Finding(
                "the link is saturated",
                "The links between the pools are saturated",
                "The busiest needs " + percent(figures.linkShare()) + " of the time for its bytes.",
                "More bandwidth, a KV cache in fewer bits, or cluster.split.kind=when_longer_than.");
    }

    /** The outcome in a few words. */
    String word() {
        String but = verdict == Verdict.SATURATED ? ": " : ", but ";
        return verdict.words + (findings.isEmpty() ? "" : but + findings.get(0).word());
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
