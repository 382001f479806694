package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.autoscaler.Fleet;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.report.LatencyBreakdown.Part;
import dev.stagesim.model.Count;
import dev.stagesim.report.Numbers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Reports the times of failures and repairs, and whether the run is long enough to show their effect. */
public final class FailureReport {
    /** Failures from which percentiles depend on more than single failures. */
    private static final int ENOUGH_FAILURES = 10;

    /** Run time per repair time from which the number of failed instances is close to its long-run mean. */
    private static final int ENOUGH_REPAIRS = 3;

    /** MTBF in hours below which failures are far more frequent than those of real instances, to show them in a short run. */
    private static final double MIN_REAL_H = 24;

    /** Share of the waiting time from which outages are the first cause. */
    private static final double MOSTLY = 0.5;

    private static final int DIGITS = 3;
    private static final double MINUTE = 60;
    /** Maximum factor of a recommended number of requests. */
    private static final double MAX_LONGER = 30;

    private static final double HOUR = 3600;

    private final FailureSettings settings;
    private final ClusterFigures figures;
    private final double startSeconds;
    private final long failed;
    private final long repaired;

    public FailureReport(FailureSettings settings, ClusterFigures figures) {
        this.settings = settings;
        this.figures = figures;
        List<Fleet.Change> changes = figures.sim.fleet().changes();
        startSeconds = figures.pools.stream()
                .mapToDouble(pool -> pool.startSeconds().store())
                .max()
                .orElse(0);
        failed = changes.stream()
                .filter(change -> change.kind().equals("failed"))
                .count();
        repaired = repaired(changes);
    }

    private static long repaired(List<Fleet.Change> changes) {
        Set<Integer> down = new TreeSet<>();
        long count = 0;
        for (Fleet.Change change : changes) {
            if (change.kind().equals("failed")) {
                down.add(change.instance());
            } else if (change.kind().equals("open") && down.remove(change.instance())) {
                count++;
            }
        }
        return count;
    }

    /** Returns the number of failures. */
    public long failed() {
        return failed;
    }

    /** Returns the rate of random failures as a sentence; empty if the times of failures are listed. */
    Optional<String> rate() {
        if (!(settings instanceof FailureSettings.Random random)) {
            return Optional.empty();
        }
        return Optional.of(" Each of " + Count.of(figures.instances.size(), "instance") + " fails every "
                + duration(random.mtbfH() * HOUR) + " on average (cluster.failures.mtbf_h="
                + Numbers.plain(random.mtbfH()) + ")"
                + (random.mtbfH() < MIN_REAL_H ? ", far more often than real instances." : "."));
    }

    /** Returns the mean times between failures and to repair, and the number of both in the run. */
    public String text() {
        String times = "";
        if (settings instanceof FailureSettings.Random random) {
            double mean = random.mtbfH() * HOUR;
            double down = random.mttrS() + startSeconds;
            times = "Each of " + Count.of(figures.instances.size(), "instance") + " fails every " + duration(mean)
                    + " on average (MTBF). Its restart begins after " + duration(random.mttrS())
                    + " on average (MTTR) and takes up to " + duration(startSeconds)
                    + ", so in the long run an instance serves at least "
                    + Numbers.fixed(100 * mean / (mean + down), 2) + " % of the time. ";
        }
        return times + "In the " + duration(figures.seconds) + " of this run, " + Count.of(failed, "instance")
                + " failed and " + Numbers.count(repaired) + " served again.";
    }

    /**
     * Returns the finding that requests waited mainly because instances were down; empty if they waited mostly at other
     * times, or if the load exceeds the capacity of all instances.
     *
     * @param isSaturated true if the queue still grew at the last arrival, so that the served rate is the capacity
     */
    Optional<ClusterFindings.Finding> limits(boolean isSaturated) {
        double up = figures.seconds
                * figures.pools.stream().mapToDouble(figures::meanUp).sum();
        double down =
                outages().stream().mapToDouble(outage -> outage[1] - outage[0]).sum();
        double whole = figures.served() * (1 + down / up);
        double share = failed == 0 ? 0 : outageShare();
        if (share < MOSTLY || (isSaturated && figures.offered() > whole)) {
            return Optional.empty();
        }
        return Optional.of(new ClusterFindings.Finding(
                "requests waited for failed instances",
                "Failed instances are the limit",
                "Instances were down for " + Numbers.fixed(100 * down / (up + down), 0)
                        + " % of the time. Requests that arrived"
                        + " during an outage, or while its queue was served, account for "
                        + Numbers.fixed(100 * share, 0) + " % of all waiting time"
                        + (isSaturated
                                ? "; without failures, the instances would serve about "
                                        + Numbers.significant(whole, DIGITS) + " requests/s."
                                : "."),
                "Add instances as spares, or shorten outages (cluster.failures.mttr_s, cluster.start)."));
    }

    /** Returns the share of the waiting time of requests that arrived during outages or while their queue was served. */
    private double outageShare() {
        List<double[]> outages = outages();
        RequestTimeline timeline = figures.timeline;
        int next = 0;
        double until = Double.NEGATIVE_INFINITY;
        double during = 0;
        double all = 0;
        for (int request : byArrival(timeline)) {
            double arrived = timeline.arrived[request];
            for (; next < outages.size() && outages.get(next)[0] <= arrived; next++) {
                until = Math.max(until, outages.get(next)[1]);
            }
            LatencyBreakdown parts = figures.parts.get(request);
            long wait = ClusterFindings.waited(parts);
            all += wait;
            during += arrived <= until ? wait : parts.get(Part.LOST);
            if (arrived <= until && wait > parts.get(Part.PREFILL)) {
                until = Math.max(until, timeline.started[request]); // the queue of the outage is still served
            }
        }
        return all > 0 ? during / all : 0;
    }

    private static int[] byArrival(RequestTimeline timeline) {
        return IntStream.range(0, timeline.size())
                .filter(timeline::isServed)
                .boxed()
                .sorted(Comparator.comparingDouble(request -> timeline.arrived[request]))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Returns begin and end of each outage in seconds, ascending by begin. */
    private List<double[]> outages() {
        Map<Integer, double[]> down = new TreeMap<>();
        List<double[]> outages = new ArrayList<>();
        for (Fleet.Change change : figures.sim.fleet().changes()) {
            if (change.kind().equals("failed") && !down.containsKey(change.instance())) {
                double[] outage = {change.at(), figures.seconds};
                outages.add(outage);
                down.put(change.instance(), outage);
            } else if (change.kind().equals("open") && down.containsKey(change.instance())) {
                down.remove(change.instance())[1] = change.at();
            }
        }
        return outages;
    }

    /** Returns the finding that the run is too short to show the effect of failures; empty if it is long enough. */
    public Optional<ClusterFindings.Finding> tooShort() {
        String word = failed == 0
                ? "no instance failed in the " + duration(figures.seconds) + " of the run"
                : repaired == 0
                        ? "no failed instance served again in the " + duration(figures.seconds) + " of the run"
                        : "the run is too short to judge failures";
        boolean isShort = figures.seconds < enough();
        return failed > 0 && repaired > 0 && !isShort
                ? Optional.empty()
                : Optional.of(new ClusterFindings.Finding(
                        word, word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1), text(), advice()));
    }

    private String advice() {
        long requests = requests(enough());
        if (!(settings instanceof FailureSettings.Random random)) {
            return "The last repair ends after about " + duration(enough()) + ": set requests=" + requests
                    + " at this load, or earlier times in cluster.failures.times.";
        }
        String shows = "A run of " + duration(enough()) + " shows about " + ENOUGH_FAILURES
                + " failures or more and their repairs: ";
        if (requests <= MAX_LONGER * figures.size()) {
            return shows + "set requests=" + requests + " at this load, or lower cluster.failures.mtbf_h.";
        }
        double length = Math.max(figures.seconds, repairs(random));
        double mtbf = length * figures.instances.size() / ENOUGH_FAILURES / HOUR;
        return shows + "failures are too rare to matter in a run of this length. To see their effect, lower"
                + " cluster.failures.mtbf_h to " + Numbers.significant(mtbf, 1)
                + (length > figures.seconds ? " with requests=" + requests(length) : "") + ".";
    }

    /** Returns a number of requests, in two digits, that arrive during some seconds at the load of the run. */
    private long requests(double seconds) {
        double margin = 1 + 2 / Math.sqrt(figures.size()); // the rate of few random arrivals is uncertain
        double count = margin * figures.size() * Math.max(1, seconds / figures.seconds);
        double unit = Math.pow(10, Math.floor(Math.log10(count)) - 1);
        return Math.round(Math.ceil(count / unit) * unit);
    }

    /** Returns the length of a run that shows repairs, in seconds. */
    private double repairs(FailureSettings.Random random) {
        return ENOUGH_REPAIRS * (random.mttrS() + startSeconds);
    }

    /** Returns the length of a run that shows the effect of failures, in seconds. */
    private double enough() {
        if (settings instanceof FailureSettings.Random random) {
            return Math.max(ENOUGH_FAILURES * random.mtbfH() * HOUR / figures.instances.size(), repairs(random));
        }
        return ((FailureSettings.Listed) settings)
                .times().values().stream()
                        .mapToDouble(down -> down.atS() + down.repairS() + startSeconds)
                        .max()
                        .orElse(0);
    }

    private static String duration(double seconds) {
        return seconds >= 2 * HOUR
                ? Numbers.significant(seconds / HOUR, DIGITS) + " h"
                : seconds >= 2 * MINUTE
                        ? Numbers.significant(seconds / MINUTE, DIGITS) + " min"
                        : Numbers.significant(seconds, DIGITS) + " s";
    }
}
