package dev.stagesim.sweep.search;

import dev.stagesim.settings.SweeperSettings;
import dev.stagesim.sweep.search.Verdict.Rank;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The greatest load that meets the SLO, of each candidate: the load is doubled, or halved, until one that holds and one that
 * does not enclose the answer, and the enclosure is then cut in two, in logarithms, until it is narrow.
 *
 * <p>A load holds when the mean of every bounded figure over the seeds is within its bound with the asked confidence (a
 * one-sided t interval); seeds are added while neither that nor the contrary can be said, and a load that stays undecided
 * does not hold. All loads use the same seeds, so that what differs between them is the load.
 *
 * <p>Nor does a rate of arrivals hold of which less than half was completed: then more time passed after the last arrival
 * than before it, the queue had no time to grow, and the latencies of so few requests say nothing about that rate.
 */
final class CapacitySearch {
    /** Halvings after which a candidate is said to hold no load at all. */
    private static final int MOST_HALVINGS = 20;

    private static final String RATE = ".qps";

    private static final String COMPLETED = "throughput_requests_per_s";
    private static final double LEAST_COMPLETED = 0.5;

    private final SweeperSettings.Capacity settings;
    private final List<Limit> slo;
    private final int leastSeeds;
    private final int mostSeeds;
    private final Trials trials;

    CapacitySearch(SweeperSettings.Capacity settings, Trials trials) {
        this.settings = settings;
        this.trials = trials;
        this.slo = Limit.parse(settings.slo(), "sweeper.slo");
        this.leastSeeds = settings.seeds().get(0);
        this.mostSeeds = settings.seeds().get(settings.seeds().size() - 1);
    }

    /** What was found of one candidate. */
    private record Found(Candidate candidate, Sample best, double load, Sample over, double overLoad, String refused) {}

    /** One load and what was seen under it. */
    private record Level(double load, Sample sample, boolean holds, String refused) {}

    List<Verdict> run(List<Candidate> candidates) {
        List<Callable<Found>> tasks = new ArrayList<>();
        for (Candidate candidate : candidates) {
            if (candidate.refused().isEmpty()) {
                tasks.add(() -> search(candidate));
            }
        }
        List<Found> found = trials.parallel(tasks);
        Found winner = found.stream()
                .filter(one -> one.load() > 0)
                .max(Comparator.comparingDouble(Found::load)
                        .thenComparing(Comparator.comparingInt(
                                        (Found one) -> one.candidate().num())
                                .reversed()))
                .orElse(null);
        Map<Integer, Found> byNumber = new LinkedHashMap<>();
        found.forEach(one -> byNumber.put(one.candidate().num(), one));
        List<Verdict> verdicts = new ArrayList<>();
        for (Candidate candidate : candidates) {
            Found one = byNumber.get(candidate.num());
            verdicts.add(
                    one == null
                            ? Verdict.unseen(
                                    candidate, Rank.REFUSED, candidate.refused().orElse(""))
                            : verdict(one, winner));
        }
        return verdicts;
    }

    private Verdict verdict(Found one, @Nullable Found winner) {
        Candidate candidate = one.candidate();
        if (!one.refused().isEmpty()) {
            return Verdict.unseen(candidate, Rank.REFUSED, one.refused());
        }
        if (one.load() == 0) {
            return new Verdict(
                    candidate,
                    Rank.MISSED,
                    "holds no load: " + over(one),
                    one.over().seeds(),
                    one.overLoad(),
                    one.over().means());
        }
        String end = Double.isInfinite(one.overLoad()) ? "the SLO still holds at the greatest load tried" : over(one);
        boolean won = one.equals(winner);
        String why = won || winner == null
                ? "capacity " + load(one.load()) + "; " + end
                : "capacity " + load(one.load()) + ", "
                        + Words.percent(one.load() / winner.load() - 1) + " against #"
                        + winner.candidate().num() + "; " + end;
        return new Verdict(
                candidate,
                won ? Rank.WON : Rank.LOST,
                why,
                one.best().seeds(),
                one.load(),
                one.best().means());
    }

    /** Why the least load that does not hold does not. */
    private String over(Found one) {
        String at = "at " + Words.number(one.overLoad()) + ": ";
        if (one.over().verdict(slo, settings.confidence()) == Sample.Verdict.HOLDS) {
            return at + "the requests are too few to tell: "
                    + Words.number(one.over().mean(COMPLETED))
                    + " a second were completed, most of them after the last arrival";
        }
        return at + one.over().worst(slo, settings.confidence());
    }

    private String load(double load) {
        return Words.number(load) + (settings.key().endsWith(RATE) ? " requests/s" : " of " + settings.key());
    }

    private boolean tooFew(Sample sample, double load) {
        return settings.key().endsWith(RATE)
                && sample.figures().stream().allMatch(one -> one.containsKey(COMPLETED))
                && sample.mean(COMPLETED) < LEAST_COMPLETED * load;
    }

    private Found search(Candidate candidate) {
        Sample none = new Sample(List.of());
        Level low = new Level(0, none, true, "");
        Level high = new Level(Double.POSITIVE_INFINITY, none, false, "");
        double load = Math.min(settings.start(), settings.most());
        int halvings = 0;
        while (low.load() == 0 || Double.isInfinite(high.load())) {
            Level level = level(candidate, load);
            if (!level.refused().isEmpty()) {
                return new Found(candidate, none, 0, none, load, level.refused());
            }
            if (level.holds()) {
                low = level;
                if (load >= settings.most()) {
                    return new Found(candidate, low.sample(), low.load(), none, Double.POSITIVE_INFINITY, "");
                }
                load = Math.min(load * 2, settings.most());
            } else {
                high = level;
                if (low.load() == 0 && ++halvings > MOST_HALVINGS) {
                    return new Found(candidate, none, 0, high.sample(), high.load(), "");
                }
                load /= 2;
            }
        }
        while (high.load() / low.load() > 1 + settings.tolerance()) {
            Level middle = level(candidate, Math.sqrt(low.load() * high.load()));
            if (middle.holds()) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return new Found(candidate, low.sample(), low.load(), high.sample(), high.load(), "");
    }

    /** Simulates a load with more and more seeds until it is decided. */
    private Level level(Candidate candidate, double load) {
        List<SortedMap<String, Double>> figures = new ArrayList<>();
        while (true) {
            Trials.Answer answer = trials.ask(candidate, load, figures.size());
            if (!answer.refused().isEmpty()) {
                return new Level(load, new Sample(figures), false, answer.refused());
            }
            if (figures.isEmpty()) {
                slo.forEach(limit -> limit.require(answer.figures().keySet(), "sweeper.slo"));
            }
            figures.add(answer.figures());
            Sample sample = new Sample(figures);
            if (figures.size() >= leastSeeds) {
                Sample.Verdict verdict = sample.verdict(slo, settings.confidence());
                if (verdict != Sample.Verdict.UNDECIDED || figures.size() >= mostSeeds) {
                    boolean holds = verdict == Sample.Verdict.HOLDS && !tooFew(sample, load);
                    return new Level(load, sample, holds, "");
                }
            }
        }
    }
}
