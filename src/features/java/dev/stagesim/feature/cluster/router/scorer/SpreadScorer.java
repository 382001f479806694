package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.Knowledge;
import java.util.function.IntToDoubleFunction;

/** Where an instance is between the best and the worst of the candidates: 1 for the best, 0 for the worst, 1 where they are equal. */
final class SpreadScorer implements Scorer {
    private final Knowledge known;
    private final IntToDoubleFunction cost;
    private double least;
    private double most;

    private SpreadScorer(Knowledge known, IntToDoubleFunction cost) {
        this.known = known;
        this.cost = cost;
    }

    /** Most blocks of the prompt. */
    static Scorer blocks(Knowledge known, Scorers settings) {
        return new SpreadScorer(known, instance -> -known.hitBlocks(instance));
    }

    /** Fewest requests that wait. */
    static Scorer queue(Knowledge known, Scorers settings) {
        return new SpreadScorer(known, instance -> known.signal(instance, Signals.WAITING));
    }

    /** Fewest requests in the batch. */
    static Scorer running(Knowledge known, Scorers settings) {
        return new SpreadScorer(known, instance -> known.signal(instance, Signals.RUNNING));
    }

    @Override
    public void begin(int request) {
        least = Double.POSITIVE_INFINITY;
        most = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < known.count; i++) {
            double value = cost.applyAsDouble(known.candidates[i]);
            least = Math.min(least, value);
            most = Math.max(most, value);
        }
    }

    @Override
    public double score(int instance) {
        return most == least ? 1 : (most - cost.applyAsDouble(instance)) / (most - least);
    }
}
