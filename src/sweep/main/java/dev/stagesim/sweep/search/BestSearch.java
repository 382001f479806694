package dev.stagesim.sweep.search;

import dev.stagesim.sweep.SweeperSettings;
import dev.stagesim.sweep.search.CandidateVerdict.Rank;
import dev.stagesim.sweep.search.Screening.Seen;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Finds the best candidate that meets an SLO and a budget.
 *
 * <p>Candidates pass three filters, the cheapest first. The budget needs no simulation. If the goal is known without
 * simulation, candidates that cannot be better than the best one so far are skipped. After the first seed, candidates
 * that miss the SLO, or are worse than the best by more than a margin, are pruned.
 */
final class BestSearch {
    /** Number of candidates simulated between two comparisons with the best; independent of the number of threads. */
    private static final int BATCH_SIZE = 16;

    private final SweeperSettings.Search settings;
    private final Goal goal;
    private final List<Limit> slo;
    private final Comparator<Seen> bestFirst;
    private final Screening screening;
    private final Map<Integer, CandidateVerdict> verdicts = new TreeMap<>();

    BestSearch(SweeperSettings.Search settings, SimulationPool pool) {
        this.settings = settings;
        this.goal = Goal.parse(settings.goal(), "sweeper.goal");
        this.bestFirst = goal.order().thenComparingInt(seen -> seen.candidate().num());
        this.slo = Limit.parse(settings.slo(), "sweeper.slo");
        List<Limit> budget = Limit.parse(settings.budget(), "sweeper.budget");
        this.screening = new Screening(pool, budget, slo, settings.confidence());
    }

    List<CandidateVerdict> run(List<Candidate> candidates) {
        List<Candidate> left = new ArrayList<>();
        for (Candidate candidate : candidates) {
            screening.screenOut(candidate).ifPresentOrElse(this::out, () -> left.add(candidate));
        }
        boolean known = left.stream().allMatch(candidate -> candidate.known().containsKey(goal.figure()));
        List<Seen> finalists = known ? byKnownGoal(left) : byFirstSeed(left);
        finish(finalists);
        return List.copyOf(verdicts.values());
    }

    private void out(CandidateVerdict verdict) {
        verdicts.put(verdict.candidate().num(), verdict);
    }

    /**
     * Search with a goal that needs no simulation: simulates the best candidates first, and stops when one meets the
     * SLO.
     */
    private List<Seen> byKnownGoal(List<Candidate> candidates) {
        List<Candidate> sorted = new ArrayList<>(candidates);
        sorted.sort((a, b) -> goal.compare(a.figure(goal.figure()), b.figure(goal.figure())));
        List<Seen> met = new ArrayList<>();
        for (int from = 0; from < sorted.size(); from += BATCH_SIZE) {
            List<Candidate> batch = sorted.subList(from, Math.min(sorted.size(), from + BATCH_SIZE));
            if (!met.isEmpty()) {
                Seen best = met.get(0);
                batch.forEach(
                        candidate -> out(CandidateVerdict.unseen(candidate, Rank.PRUNED, worse(candidate, best))));
                continue;
            }
            screening
                    .simulate(first(batch), settings.seeds())
                    .forEach(seen -> screening.missed(seen).ifPresentOrElse(this::out, () -> met.add(seen)));
        }
        return met;
    }

    private String worse(Candidate candidate, Seen best) {
        return "never better than #" + best.candidate().num() + ", which meets the SLO: " + goal.figure() + " is "
                + NumberText.number(candidate.figure(goal.figure())) + " before any simulation";
    }

    private static List<Seen> first(List<Candidate> candidates) {
        return candidates.stream()
                .map(candidate -> new Seen(candidate, new Sample(List.of()), ""))
                .toList();
    }

    /**
     * Search with a simulated goal: simulates one seed of all candidates, prunes bad ones, and simulates all seeds of
     * the others in batches.
     */
    private List<Seen> byFirstSeed(List<Candidate> candidates) {
        List<Seen> promising = new ArrayList<>();
        for (Seen seen : screening.simulate(first(candidates), 1)) {
            if (!seen.refused().isEmpty()) {
                out(CandidateVerdict.unseen(seen.candidate(), Rank.REFUSED, seen.refused()));
                continue;
            }
            goal.require(seen.sample().figures().get(0).keySet(), "sweeper.goal");
            double miss = slo.stream()
                    .mapToDouble(limit -> limit.relativeViolation(seen.sample().mean(limit.figure())))
                    .max()
                    .orElse(Double.NEGATIVE_INFINITY);
            if (miss > settings.margin()) {
                out(Screening.verdict(
                        seen,
                        Rank.PRUNED,
                        "pruned after one seed: " + seen.sample().worst(slo, settings.confidence())));
            } else {
                promising.add(seen);
            }
        }
        promising.sort(goal.order());
        return allSeeds(promising);
    }

    private List<Seen> allSeeds(List<Seen> promising) {
        List<Seen> met = new ArrayList<>();
        for (int from = 0; from < promising.size(); from += BATCH_SIZE) {
            List<Seen> batch = new ArrayList<>();
            for (Seen seen : promising.subList(from, Math.min(promising.size(), from + BATCH_SIZE))) {
                Optional<Seen> best = met.stream().min(bestFirst);
                double behind = best.isEmpty()
                        ? 0
                        : goal.behind(
                                seen.sample().mean(goal.figure()),
                                best.get().sample().mean(goal.figure()));
                if (behind > settings.margin()) {
                    out(Screening.verdict(
                            seen,
                            Rank.PRUNED,
                            "pruned after one seed: " + goal.figure() + " is "
                                    + NumberText.number(seen.sample().mean(goal.figure())) + ", "
                                    + NumberText.percent(behind) + " behind #"
                                    + best.get().candidate().num()));
                } else {
                    batch.add(seen);
                }
            }
            screening
                    .simulate(batch, settings.seeds())
                    .forEach(seen -> screening.missed(seen).ifPresentOrElse(this::out, () -> met.add(seen)));
        }
        return met;
    }

    private void finish(List<Seen> finalists) {
        Optional<Seen> winner = finalists.stream().min(bestFirst);
        for (Seen seen : finalists) {
            double value = seen.sample().mean(goal.figure());
            if (seen.candidate().num() == winner.orElseThrow().candidate().num()) {
                out(Screening.verdict(seen, Rank.WON, goal.figure() + " is " + NumberText.number(value)));
            } else {
                double best = winner.get().sample().mean(goal.figure());
                out(Screening.verdict(
                        seen,
                        Rank.LOST,
                        goal.figure() + " is " + NumberText.number(value) + ", " + NumberText.number(best) + " for #"
                                + winner.get().candidate().num() + " (" + NumberText.percent(goal.behind(value, best))
                                + ")"));
            }
        }
    }
}
