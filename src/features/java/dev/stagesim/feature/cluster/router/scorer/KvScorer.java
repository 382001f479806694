package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.RouterView;

/** The free share of the cache. */
record KvScorer(RouterView view) implements Scorer {
    static Scorer of(RouterView view, Scorers settings) {
        return new KvScorer(view);
    }

    @Override
    public double score(int instance) {
        return 1 - view.signal(instance, Signals.KV_USAGE);
    }
}
