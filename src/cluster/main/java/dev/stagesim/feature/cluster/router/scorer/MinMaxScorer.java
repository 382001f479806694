package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.model.Key;
import java.util.function.IntToDoubleFunction;

/** Scales a cost to the range of the candidates: 1 for the lowest cost, 0 for the highest, 1 if all are equal. */
final class MinMaxScorer implements Scorer {
    /** Prefers short queues. */
    record Queue(@Key("Weight of the score. | 0 | 0..1000000") double weight) implements ScorerFactory {
        @Override
        public Scorer make(RouterView view) {
            return new MinMaxScorer(instance -> view.signal(instance, Signals.WAITING), view);
        }

        @Override
        public boolean readsSignals() {
            return true;
        }
    }

    /** Prefers small batches. */
    record RunningRequests(@Key("Weight of the score. | 0 | 0..1000000") double weight) implements ScorerFactory {
        @Override
        public Scorer make(RouterView view) {
            return new MinMaxScorer(instance -> view.signal(instance, Signals.RUNNING), view);
        }

        @Override
        public boolean readsSignals() {
            return true;
        }
    }

    /** Prefers many cached blocks, as KV events report them. */
    record PrecisePrefixCache(@Key("Weight of the score. | 0 | 0..1000000") double weight) implements ScorerFactory {
        @Override
        public Scorer make(RouterView view) {
            return new MinMaxScorer(instance -> -view.hitBlocks(instance), view);
        }
    }

    private final RouterView view;
    private final IntToDoubleFunction cost;
    private double min;
    private double max;

    private MinMaxScorer(IntToDoubleFunction cost, RouterView view) {
        this.view = view;
        this.cost = cost;
    }

    @Override
    public void begin(int request) {
        min = Double.POSITIVE_INFINITY;
        max = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < view.count; i++) {
            double value = cost.applyAsDouble(view.candidates[i]);
            min = Math.min(min, value);
            max = Math.max(max, value);
        }
    }

    @Override
    public double score(int instance) {
        return max == min ? 1 : (max - cost.applyAsDouble(instance)) / (max - min);
    }
}
