package dev.stagesim.sim.training;

import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.StrategySearch.Objective;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Ranks the best candidates of a search by simulated step time.
 *
 * <p>Candidates are simulated in the order of their closed-form estimates. The loop ends when enough simulated candidates are better than
 * a lower bound for all remaining ones.
 */
public final class Finalists {
    /** Minimum number of candidates that a search must keep: many have nearly equal closed-form estimates. */
    public static final int MIN_CANDIDATES = 64;

    /**
     * A candidate with its simulated step time.
     *
     * @param candidate strategy with its closed-form estimate
     * @param step simulated seconds per step
     */
    public record Finalist(Candidate candidate, double step) {
        public double score(Objective objective) {
            return step * objective.weight(candidate.strategy().devices());
        }
    }

    /** Minimum ratio of simulated to closed-form step time. Empirical: exceptions are rare. */
    private static final double MIN_RATIO = 0.94;

    private Finalists() {}

    /** Returns at most {@code wanted} candidates, best first. */
    public static List<Finalist> of(List<Candidate> best, int wanted, int globalBatch, Objective objective) {
        List<Finalist> run = new ArrayList<>();
        Comparator<Finalist> order = Comparator.comparingDouble(finalist -> finalist.score(objective));
        for (Candidate candidate : best) {
            if (run.size() >= wanted
                    && run.get(wanted - 1).score(objective) <= MIN_RATIO * candidate.score(objective)) {
                break;
            }
            run.add(new Finalist(
                    candidate, SimulatedPipeline.of(candidate, globalBatch).step()));
            run.sort(order);
        }
        return List.copyOf(run.subList(0, Math.min(wanted, run.size())));
    }
}
