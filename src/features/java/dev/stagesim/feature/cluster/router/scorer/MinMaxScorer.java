package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.RouterView;
import java.util.function.IntToDoubleFunction;

/** Where an instance is between the best and the worst of the candidates: 1 for the best, 0 for the worst, 1 where they are equal. */
final class MinMaxScorer implements Scorer {
    private final RouterView view;
    private final IntToDoubleFunction cost;
    private double least;
    private double most;

    private MinMaxScorer(RouterView view, IntToDoubleFunction cost) {
        this.view = view;
        this.cost = cost;
    }

    /** Most blocks of the prompt. */
    static Scorer blocks(RouterView view, Scorers settings) {
        return new MinMaxScorer(view, instance -> -view.hitBlocks(instance));
    }

    /** Fewest requests that wait. */
    static Scorer queue(RouterView view, Scorers settings) {
        return new MinMaxScorer(view, instance -> view.signal(instance, Signals.WAITING));
    }

    /** Fewest requests in the batch. */
    static Scorer running(RouterView view, Scorers settings) {
        return new MinMaxScorer(view, instance -> view.signal(instance, Signals.RUNNING));
    }

    @Override
    public void begin(int request) {
        least = Double.POSITIVE_INFINITY;
        most = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < view.count; i++) {
            double value = cost.applyAsDouble(view.candidates[i]);
            least = Math.min(least, value);
            most = Math.max(most, value);
        }
    }

    @Override
    public double score(int instance) {
        return most == least ? 1 : (most - cost.applyAsDouble(instance)) / (most - least);
    }
}
