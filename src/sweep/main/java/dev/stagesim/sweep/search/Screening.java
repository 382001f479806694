package dev.stagesim.sweep.search;

import dev.stagesim.sweep.search.CandidateVerdict.Rank;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** Common steps of searches over combinations: the budget, and simulations with several seeds. */
record Screening(SimulationPool pool, List<Limit> budget, List<Limit> slo, double confidence) {
    /** Returns the verdict of a candidate that need not be simulated; empty for others. */
    Optional<CandidateVerdict> screenOut(Candidate candidate) {
        if (candidate.refused().isPresent()) {
            return Optional.of(CandidateVerdict.unseen(
                    candidate, Rank.REFUSED, candidate.refused().get()));
        }
        for (Limit limit : budget) {
            limit.require(candidate.known().keySet(), "sweeper.budget");
            double actual = candidate.figure(limit.figure());
            if (!limit.holds(actual)) {
                return Optional.of(CandidateVerdict.unseen(
                        candidate,
                        Rank.OVER_BUDGET,
                        limit.figure() + " is " + NumberText.number(actual) + ", budget " + limit.text()));
            }
        }
        return Optional.empty();
    }

    /** A candidate and its metrics so far. */
    record Seen(Candidate candidate, Sample sample, String refused) {}

    /** Simulates candidates in parallel until each has the given number of seeds. */
    List<Seen> simulate(List<Seen> candidates, int seeds) {
        List<Callable<Seen>> tasks = new ArrayList<>();
        for (Seen seen : candidates) {
            tasks.add(() -> simulate(seen, seeds));
        }
        return pool.parallel(tasks);
    }

    private Seen simulate(Seen seen, int seeds) {
        List<SortedMap<String, Double>> figures = new ArrayList<>(seen.sample().figures());
        while (figures.size() < seeds) {
            SimulationPool.Answer answer = pool.query(seen.candidate(), Double.NaN, figures.size());
            if (!answer.refused().isEmpty()) {
                return new Seen(seen.candidate(), new Sample(figures), answer.refused());
            }
            figures.add(answer.figures());
            slo.forEach(limit -> limit.require(answer.figures().keySet(), "sweeper.slo"));
        }
        return new Seen(seen.candidate(), new Sample(figures), "");
    }

    /** Returns the verdict of a simulated candidate that does not meet the SLO; empty if it does. */
    Optional<CandidateVerdict> missed(Seen seen) {
        if (!seen.refused().isEmpty()) {
            return Optional.of(CandidateVerdict.unseen(seen.candidate(), Rank.REFUSED, seen.refused()));
        }
        if (seen.sample().decision(slo, confidence) == Sample.Decision.HOLDS) {
            return Optional.empty();
        }
        String why = seen.sample().worst(slo, confidence);
        return Optional.of(verdict(seen, Rank.MISSED, why));
    }

    static CandidateVerdict verdict(Seen seen, Rank rank, String why) {
        SortedMap<String, Double> figures =
                seen.sample().seeds() == 0 ? new TreeMap<>() : seen.sample().means();
        return new CandidateVerdict(seen.candidate(), rank, why, seen.sample().seeds(), Double.NaN, figures);
    }
}
