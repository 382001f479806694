package dev.stagesim.sweep.search;

import dev.stagesim.settings.SweeperSettings;
import dev.stagesim.sweep.search.Screening.Seen;
import dev.stagesim.sweep.search.Verdict.Rank;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The best candidate that meets an SLO and a budget. Three sieves, each cheaper than the next: the budget, which needs no
 * simulation; where the goal is known without one, candidates that cannot beat the best found so far; and the first seed,
 * after which those are given up that miss the SLO or lie behind by more than a margin.
 */
final class BestSearch {
    /** Candidates simulated between two looks at the best; the same on any number of threads. */
    private static final int WAVE = 16;

    private final SweeperSettings.Search settings;
    private final Goal goal;
    private final List<Limit> slo;
    private final Screening screening;
    private final Map<Integer, Verdict> verdicts = new TreeMap<>();

    BestSearch(SweeperSettings.Search settings, Trials trials) {
        this.settings = settings;
        this.goal = Goal.parse(settings.goal(), "sweeper.goal");
        this.slo = Limit.parse(settings.slo(), "sweeper.slo");
        List<Limit> budget = Limit.parse(settings.budget(), "sweeper.budget");
        this.screening = new Screening(trials, budget, slo, settings.confidence());
    }

    List<Verdict> run(List<Candidate> candidates) {
        List<Candidate> left = new ArrayList<>();
        for (Candidate candidate : candidates) {
            screening.outOfQuestion(candidate).ifPresentOrElse(this::out, () -> left.add(candidate));
        }
        boolean known = left.stream().allMatch(one -> one.known().containsKey(goal.figure()));
        List<Seen> finalists = known ? byKnownGoal(left) : byFirstSeed(left);
        finish(finalists);
        return List.copyOf(verdicts.values());
    }

    private void out(Verdict verdict) {
        verdicts.put(verdict.candidate().num(), verdict);
    }

    /** The goal needs no simulation: the best first, and no more once one meets the SLO. */
    private List<Seen> byKnownGoal(List<Candidate> candidates) {
        List<Candidate> sorted = new ArrayList<>(candidates);
        sorted.sort((a, b) -> goal.compare(a.figure(goal.figure()), b.figure(goal.figure())));
        List<Seen> met = new ArrayList<>();
        for (int from = 0; from < sorted.size(); from += WAVE) {
            List<Candidate> wave = sorted.subList(from, Math.min(sorted.size(), from + WAVE));
            if (!met.isEmpty()) {
                Seen best = met.get(0);
                wave.forEach(one -> out(Verdict.unseen(one, Rank.PRUNED, worse(one, best))));
                continue;
            }
            screening
                    .simulate(first(wave), settings.seeds())
                    .forEach(seen -> screening.missed(seen).ifPresentOrElse(this::out, () -> met.add(seen)));
        }
        return met;
    }

    private String worse(Candidate one, Seen best) {
        return "never better than #" + best.candidate().num() + ", which meets the SLO: " + goal.figure() + " is "
                + Words.number(one.figure(goal.figure())) + " before any simulation";
    }

    private static List<Seen> first(List<Candidate> candidates) {
        return candidates.stream()
                .map(one -> new Seen(one, new Sample(List.of()), ""))
                .toList();
    }

    /** One seed for all; those that are far off are given up, the others get all seeds, wave by wave. */
    private List<Seen> byFirstSeed(List<Candidate> candidates) {
        List<Seen> promising = new ArrayList<>();
        for (Seen seen : screening.simulate(first(candidates), 1)) {
            if (!seen.refused().isEmpty()) {
                out(Verdict.unseen(seen.candidate(), Rank.REFUSED, seen.refused()));
                continue;
            }
            goal.require(seen.sample().figures().get(0).keySet(), "sweeper.goal");
            double miss = slo.stream()
                    .mapToDouble(limit -> limit.miss(seen.sample().mean(limit.figure())))
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
        promising.sort((a, b) ->
                goal.compare(a.sample().mean(goal.figure()), b.sample().mean(goal.figure())));
        return allSeeds(promising);
    }

    private List<Seen> allSeeds(List<Seen> promising) {
        List<Seen> met = new ArrayList<>();
        for (int from = 0; from < promising.size(); from += WAVE) {
            List<Seen> wave = new ArrayList<>();
            for (Seen seen : promising.subList(from, Math.min(promising.size(), from + WAVE))) {
                Optional<Seen> best = met.stream().min(this::compare);
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
                                    + Words.number(seen.sample().mean(goal.figure())) + ", "
                                    + Words.percent(behind) + " behind #"
                                    + best.get().candidate().num()));
                } else {
                    wave.add(seen);
                }
            }
            screening
                    .simulate(wave, settings.seeds())
                    .forEach(seen -> screening.missed(seen).ifPresentOrElse(this::out, () -> met.add(seen)));
        }
        return met;
    }

    private int compare(Seen one, Seen other) {
        int order =
                goal.compare(one.sample().mean(goal.figure()), other.sample().mean(goal.figure()));
        return order != 0
                ? order
                : Integer.compare(one.candidate().num(), other.candidate().num());
    }

    private void finish(List<Seen> finalists) {
        Optional<Seen> winner = finalists.stream().min(this::compare);
        for (Seen seen : finalists) {
            double value = seen.sample().mean(goal.figure());
            if (seen.candidate().num() == winner.orElseThrow().candidate().num()) {
                out(Screening.verdict(seen, Rank.WON, goal.figure() + " is " + Words.number(value)));
            } else {
                double best = winner.get().sample().mean(goal.figure());
                out(Screening.verdict(
                        seen,
                        Rank.LOST,
                        goal.figure() + " is " + Words.number(value) + ", " + Words.number(best) + " for #"
                                + winner.get().candidate().num() + " (" + Words.percent(goal.behind(value, best))
                                + ")"));
            }
        }
    }
}
