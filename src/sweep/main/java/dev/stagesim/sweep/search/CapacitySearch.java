package dev.stagesim.sweep.search;

import dev.stagesim.sweep.SweeperSettings;
import dev.stagesim.sweep.search.CandidateVerdict.Rank;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Finds the maximum load of each candidate that meets the SLO. The load is doubled or halved until a passing and a
 * failing load enclose the answer. The interval is then bisected on a logarithmic scale until it is narrow.
 *
 * <p>A load passes if every bounded metric is within its bound for every seed and, with the required confidence, in the mean
 * over the seeds (one-sided t interval). Seeds are added while the mean is not significant. A load that remains undecided
 * fails. All loads use the same seeds, so only the load differs between them.
 *
 * <p>An arrival rate also fails if the stage reports it as saturated, or its run as too short to show whether the rate is
 * sustained, or if less than half of it was completed: most completions then happened after the last arrival, the queue
 * had no time to grow, and the latencies of so few requests are not representative of the rate. The requests in flight of
 * a closed loop are doubled until they no longer raise the rate of completions.
 */
final class CapacitySearch {
    /** Maximum number of halvings before a candidate is reported to sustain no load. */
    private static final int MAX_HALVINGS = 20;

    /** Metric with the rate of completions. */
    private static final String COMPLETED = "throughput_requests_per_s";

    private static final double MIN_COMPLETED_SHARE = 0.5;

    /** Minimum factor by which twice the requests in flight raise the rate of completions before the service is saturated. */
    private static final double MIN_GAIN = 1.02;

    /** Metric that is 1 if requests pile up. */
    private static final String SATURATED = "saturated";

    /** Metric that is 1 if the run does not show whether requests pile up. */
    static final String TOO_SHORT = "too_short";

    private final SweeperSettings.Capacity settings;
    private final LoadKey key;
    private final List<Limit> slo;
    private final double maxLoad;
    private final int minSeeds;
    private final int maxSeeds;
    private final SimulationPool pool;

    CapacitySearch(SweeperSettings.Capacity settings, LoadKey key, SimulationPool pool) {
        this.settings = settings;
        this.key = key;
        this.pool = pool;
        this.slo = Limit.parse(settings.slo(), "sweeper.slo");
        this.maxLoad = key.isWhole() ? Math.max(1, Math.floor(settings.maxLoad())) : settings.maxLoad();
        this.minSeeds = settings.seeds().get(0);
        this.maxSeeds = settings.seeds().get(settings.seeds().size() - 1);
    }

    /** The result of one candidate. */
    private record Found(Candidate candidate, Sample best, double load, Sample over, double overLoad, String refused) {}

    /** One load and its simulated metrics. */
    private record Level(double load, Sample sample, boolean holds, String refused) {}

    List<CandidateVerdict> run(List<Candidate> candidates) {
        List<Callable<Found>> tasks = new ArrayList<>();
        for (Candidate candidate : candidates) {
            if (candidate.refused().isEmpty()) {
                tasks.add(() -> search(candidate));
            }
        }
        List<Found> results = pool.parallel(tasks);
        Found winner = results.stream()
                .filter(found -> found.load() > 0)
                .max(Comparator.comparingDouble(Found::load)
                        .thenComparing(Comparator.comparingInt(
                                        (Found found) -> found.candidate().num())
                                .reversed()))
                .orElse(null);
        Map<Integer, Found> byNumber = new LinkedHashMap<>();
        results.forEach(found -> byNumber.put(found.candidate().num(), found));
        List<CandidateVerdict> verdicts = new ArrayList<>();
        for (Candidate candidate : candidates) {
            Found found = byNumber.get(candidate.num());
            verdicts.add(
                    found == null
                            ? CandidateVerdict.unseen(
                                    candidate, Rank.REFUSED, candidate.refused().orElse(""))
                            : verdict(found, winner));
        }
        return verdicts;
    }

    private CandidateVerdict verdict(Found found, @Nullable Found winner) {
        Candidate candidate = found.candidate();
        if (!found.refused().isEmpty()) {
            return CandidateVerdict.unseen(candidate, Rank.REFUSED, found.refused());
        }
        if (found.load() == 0) {
            return new CandidateVerdict(
                    candidate,
                    Rank.MISSED,
                    "sustains no load: " + over(found),
                    found.over().seeds(),
                    found.overLoad(),
                    found.over().means());
        }
        String end = Double.isInfinite(found.overLoad())
                ? "the SLO is still met at the maximum simulated load"
                : over(found);
        boolean won = found.equals(winner);
        String why = won || winner == null
                ? "capacity " + load(found) + "; " + end
                : "capacity " + load(found) + ", "
                        + NumberText.percent(found.load() / winner.load() - 1) + " against #"
                        + winner.candidate().num() + "; " + end;
        return new CandidateVerdict(
                candidate,
                won ? Rank.WON : Rank.LOST,
                why,
                found.best().seeds(),
                found.load(),
                found.best().means());
    }

    /** Returns the reason why the lowest failing load fails. */
    private String over(Found found) {
        String at = "at " + NumberText.number(found.overLoad()) + ": ";
        if (found.over().decision(slo, settings.confidence()) == Sample.Decision.HOLDS) {
            String completed = NumberText.number(completed(found.over())) + " per second were completed";
            if (key.isConcurrency()) {
                return at + completed + ", hardly more than with fewer requests in flight";
            }
            return at
                    + (isSaturated(found.over())
                            ? "saturated, " + completed
                            : "too few requests for a decision: " + completed
                                    + ", many of them after the last arrival; with more requests, the capacity can be higher");
        }
        return at + found.over().worst(slo, settings.confidence());
    }

    private String load(Found found) {
        double completed = key.isConcurrency() ? completed(found.best()) : Double.NaN;
        int seeds = found.best().seeds();
        return key.text(found.load())
                + (Double.isNaN(completed) ? "" : ", " + NumberText.number(completed) + " requests/s completed")
                + (seeds > 1 ? " (each of " + seeds + " seeds meets the SLO)" : "");
    }

    /** Returns true if the rate of arrivals is not, or not certainly, sustained. */
    private boolean isUnsustained(Sample sample, double load) {
        return key.isRate()
                && (isSaturated(sample)
                        || sample.figures().stream().anyMatch(CapacitySearch::isTooShort)
                        || completed(sample) < MIN_COMPLETED_SHARE * load);
    }

    /** Returns true if twice the requests in flight only wait: they do not raise the rate of completions. */
    private boolean addsNothing(Level low, Level high) {
        return key.isConcurrency()
                && low.load() > 0
                && high.load() == 2 * low.load()
                && completed(high.sample()) < completed(low.sample()) * MIN_GAIN;
    }

    /** Returns the mean rate of completions; NaN if the stage does not report it. */
    private static double completed(Sample sample) {
        return sample.mean(COMPLETED);
    }

    static boolean isTooShort(SortedMap<String, Double> figures) {
        return figures.getOrDefault(TOO_SHORT, 0.0) == 1;
    }

    /** Returns true if most seeds are saturated: at a load of 100 %, the verdict of 5 % of the runs is wrong. */
    private static boolean isSaturated(Sample sample) {
        return 2
                        * sample.figures().stream()
                                .filter(seedFigures -> seedFigures.getOrDefault(SATURATED, 0.0) == 1)
                                .count()
                > sample.seeds();
    }

    private Found search(Candidate candidate) {
        Sample none = new Sample(List.of());
        Level low = new Level(0, none, true, "");
        Level high = new Level(Double.POSITIVE_INFINITY, none, false, "");
        double load = key.round(Math.min(settings.start(), maxLoad));
        int halvings = 0;
        while (low.load() == 0 || Double.isInfinite(high.load())) {
            Level level = level(candidate, load);
            if (!level.refused().isEmpty()) {
                return new Found(candidate, none, 0, none, load, level.refused());
            }
            if (level.holds() && addsNothing(low, level)) {
                return new Found(candidate, low.sample(), low.load(), level.sample(), level.load(), "");
            }
            if (level.holds()) {
                low = level;
                if (load >= maxLoad) {
                    return new Found(candidate, low.sample(), low.load(), none, Double.POSITIVE_INFINITY, "");
                }
                load = Math.min(load * 2, maxLoad);
            } else {
                high = level;
                if (low.load() == 0 && (++halvings > MAX_HALVINGS || key.round(load / 2) == load)) {
                    return new Found(candidate, none, 0, high.sample(), high.load(), "");
                }
                load = key.round(load / 2);
            }
        }
        while (high.load() / low.load() > 1 + settings.tolerance()
                && !(key.isWhole() && high.load() - low.load() <= 1)) {
            Level middle = level(candidate, middle(low.load(), high.load()));
            if (middle.holds()) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return new Found(candidate, low.sample(), low.load(), high.sample(), high.load(), "");
    }

    /** Returns a load between two loads; whole loads differ by at least 2. */
    private double middle(double low, double high) {
        double middle = key.round(Math.sqrt(low * high));
        return key.isWhole() ? Math.min(Math.max(middle, low + 1), high - 1) : middle;
    }

    /** Simulates a load with an increasing number of seeds until it is decided. */
    private Level level(Candidate candidate, double load) {
        List<SortedMap<String, Double>> figures = new ArrayList<>();
        while (true) {
            SimulationPool.Answer answer = pool.query(candidate, load, figures.size());
            if (!answer.refused().isEmpty()) {
                return new Level(load, new Sample(figures), false, answer.refused());
            }
            if (figures.isEmpty()) {
                slo.forEach(limit -> limit.require(answer.figures().keySet(), "sweeper.slo"));
            }
            figures.add(answer.figures());
            Sample sample = new Sample(figures);
            Sample.Decision decision = sample.decision(slo, settings.confidence());
            boolean isDecided = decision == Sample.Decision.FAILS
                    || (decision == Sample.Decision.HOLDS && figures.size() >= minSeeds);
            if (isDecided || figures.size() >= maxSeeds) {
                boolean holds = decision == Sample.Decision.HOLDS && !isUnsustained(sample, load);
                return new Level(load, sample, holds, "");
            }
        }
    }
}
