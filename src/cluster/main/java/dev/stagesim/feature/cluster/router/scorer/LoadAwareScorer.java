package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;

/** Prefers short queues: 0.5 for an empty queue, decreasing linearly to 0 at the saturation. */
record LoadAwareScorer(RouterView view, double saturation) implements Scorer {
    private static final double EMPTY = 0.5;

    /** The section of this scorer. */
    record Settings(
            @Key("Weight of the score. | 0 | 0..1000000") double weight,
            @Key("Queue length with score 0. | 128 | requests | 1..1000000")
                    @OnlyIf("weight > 0 | the scorer has no weight | set weight")
                    int queueSaturation)
            implements ScorerFactory {
        @Override
        public Scorer make(RouterView view) {
            return new LoadAwareScorer(view, queueSaturation);
        }

        @Override
        public boolean readsSignals() {
            return true;
        }
    }

    @Override
    public double score(int instance) {
        return EMPTY * (1 - Math.min(view.signal(instance, Signals.WAITING), saturation) / saturation);
    }
}
