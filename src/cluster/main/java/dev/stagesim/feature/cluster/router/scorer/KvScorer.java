package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.model.Key;

/** Prefers a low KV cache utilisation. */
record KvScorer(RouterView view) implements Scorer {
    /** The section of this scorer. */
    record Settings(@Key("Weight of the score. | 0 | 0..1000000") double weight) implements ScorerFactory {
        @Override
        public Scorer make(RouterView view) {
            return new KvScorer(view);
        }

        @Override
        public boolean readsSignals() {
            return true;
        }
    }

    @Override
    public double score(int instance) {
        return 1 - view.signal(instance, Signals.KV_USAGE);
    }
}
