package dev.stagesim.sweep.search;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stats.ParetoFront;
import dev.stagesim.sweep.SweeperSettings;
import dev.stagesim.sweep.search.CandidateVerdict.Rank;
import dev.stagesim.sweep.search.Screening.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Finds the Pareto-optimal candidates. For each other candidate, one of them is at least as good in every goal and
 * better in one.
 */
final class ParetoSearch {
    private final SweeperSettings.Pareto settings;
    private final List<Goal> goals;
    private final Screening screening;
    private final Map<Integer, CandidateVerdict> verdicts = new TreeMap<>();

    ParetoSearch(SweeperSettings.Pareto settings, SimulationPool pool) {
        this.settings = settings;
        this.goals = settings.goals().stream()
                .map(goal -> Goal.parse(goal, "sweeper.goals"))
                .toList();
        if (goals.size() < 2) {
            throw StageException.input(Problem.config("sweeper.goals", "a front needs at least two goals")
                    .hint("sweeper=search finds the best for one"));
        }
        List<Limit> budget = Limit.parse(settings.budget(), "sweeper.budget");
        List<Limit> slo = Limit.parse(settings.slo(), "sweeper.slo");
        this.screening = new Screening(pool, budget, slo, settings.confidence());
    }

    List<CandidateVerdict> run(List<Candidate> candidates) {
        List<Seen> left = new ArrayList<>();
        for (Candidate candidate : candidates) {
            Optional<CandidateVerdict> out = screening.screenOut(candidate);
            if (out.isPresent()) {
                verdicts.put(candidate.num(), out.get());
            } else {
                left.add(new Seen(candidate, new Sample(List.of()), ""));
            }
        }
        List<Seen> met = new ArrayList<>();
        for (Seen seen : screening.simulate(left, settings.seeds())) {
            Optional<CandidateVerdict> missed = screening.missed(seen);
            if (missed.isPresent()) {
                verdicts.put(seen.candidate().num(), missed.get());
            } else {
                goals.forEach(
                        goal -> goal.require(seen.sample().figures().get(0).keySet(), "sweeper.goals"));
                met.add(seen);
            }
        }
        ParetoFront<Seen> front =
                ParetoFront.withEqual(goals.stream().map(Goal::order).toList());
        for (Seen seen : met) {
            Optional<Seen> better = front.dominator(seen, met);
            String why = better.isEmpty() ? "no other is better in every goal" : beaten(seen, better.get());
            verdicts.put(seen.candidate().num(), Screening.verdict(seen, better.isEmpty() ? Rank.WON : Rank.LOST, why));
        }
        return List.copyOf(verdicts.values());
    }

    private String beaten(Seen first, Seen by) {
        StringBuilder why = new StringBuilder("beaten by #" + by.candidate().num() + ":");
        for (Goal goal : goals) {
            double value = first.sample().mean(goal.figure());
            double best = by.sample().mean(goal.figure());
            why.append(' ')
                    .append(goal.figure())
                    .append(' ')
                    .append(NumberText.number(value))
                    .append(" to ");
            why.append(NumberText.number(best)).append(',');
        }
        return why.substring(0, why.length() - 1);
    }
}
