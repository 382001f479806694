package dev.stagesim.sweep.search;

import dev.stagesim.sweep.search.Verdict.Rank;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** What searches over combinations have in common: the budget, and simulating candidates with seeds. */
record Screening(Trials trials, List<Limit> budget, List<Limit> slo, double confidence) {
    /** Why a candidate is not worth simulating; empty when it is. */
    Optional<Verdict> outOfQuestion(Candidate candidate) {
        if (candidate.refused().isPresent()) {
            return Optional.of(
                    Verdict.unseen(candidate, Rank.REFUSED, candidate.refused().get()));
        }
        for (Limit limit : budget) {
            limit.require(candidate.known().keySet(), "sweeper.budget");
            double actual = candidate.figure(limit.figure());
            if (!limit.holds(actual)) {
                return Optional.of(Verdict.unseen(
                        candidate,
                        Rank.OVER_BUDGET,
                        limit.figure() + " is " + Words.number(actual) + ", budget " + limit.text()));
            }
        }
        return Optional.empty();
    }

    /** A candidate's figures so far. */
    record Seen(Candidate candidate, Sample sample, String refused) {}

    /** Simulates candidates, side by side, until each has a number of seeds. */
    List<Seen> simulate(List<Seen> candidates, int seeds) {
        List<Callable<Seen>> tasks = new ArrayList<>();
        for (Seen seen : candidates) {
            tasks.add(() -> simulate(seen, seeds));
        }
        return trials.parallel(tasks);
    }

    private Seen simulate(Seen seen, int seeds) {
        List<SortedMap<String, Double>> figures = new ArrayList<>(seen.sample().figures());
        while (figures.size() < seeds) {
            Trials.Answer answer = trials.ask(seen.candidate(), Double.NaN, figures.size());
            if (!answer.refused().isEmpty()) {
                return new Seen(seen.candidate(), new Sample(figures), answer.refused());
            }
            figures.add(answer.figures());
            slo.forEach(limit -> limit.require(answer.figures().keySet(), "sweeper.slo"));
        }
        return new Seen(seen.candidate(), new Sample(figures), "");
    }

    /** Why a simulated candidate is out; empty when it meets the SLO. */
    Optional<Verdict> missed(Seen seen) {
        if (!seen.refused().isEmpty()) {
            return Optional.of(Verdict.unseen(seen.candidate(), Rank.REFUSED, seen.refused()));
        }
        if (seen.sample().verdict(slo, confidence) == Sample.Verdict.HOLDS) {
            return Optional.empty();
        }
        String why = seen.sample().worst(slo, confidence);
        return Optional.of(verdict(seen, Rank.MISSED, why));
    }

    static Verdict verdict(Seen seen, Rank rank, String why) {
        SortedMap<String, Double> figures =
                seen.sample().seeds() == 0 ? new TreeMap<>() : seen.sample().means();
        return new Verdict(seen.candidate(), rank, why, seen.sample().seeds(), Double.NaN, figures);
    }
}
