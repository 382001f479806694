package dev.stagesim.sim.training;

import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.StrategySearch.Objective;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The best of a search by the timelines of their pipelines.
 *
 * <p>Candidates are run in the order of their closed forms until so many as are wanted are better than the timeline of the next can be.
 */
public final class Finalists {
    /** How many a search keeps for them at least: strategies next to each other in closed form are many. */
    public static final int KEPT = 64;

    /**
     * A candidate with the seconds of its step on the timeline.
     *
     * @param candidate the strategy and its closed form
     * @param step seconds of a step
     */
    public record Finalist(Candidate candidate, double step) {
        public double score(Objective objective) {
            return step * objective.weight(candidate.strategy().devices());
        }
    }

    /** How far a timeline is below its closed form at most, nearly always. */
    private static final double LEAST = 0.94;

    private Finalists() {}

    /** The best {@code wanted}, or all there are, the best first. */
    public static List<Finalist> of(List<Candidate> best, int wanted, int globalBatch, Objective objective) {
        List<Finalist> run = new ArrayList<>();
        Comparator<Finalist> order = Comparator.comparingDouble(finalist -> finalist.score(objective));
        for (Candidate candidate : best) {
            if (run.size() >= wanted && run.get(wanted - 1).score(objective) <= LEAST * candidate.score(objective)) {
                break;
            }
            run.add(new Finalist(
                    candidate, Confirmation.of(candidate, globalBatch).step()));
            run.sort(order);
        }
        return List.copyOf(run.subList(0, Math.min(wanted, run.size())));
    }
}
