package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.Knowledge;

/** The free share of the cache. */
record KvScorer(Knowledge known) implements Scorer {
    static Scorer of(Knowledge known, Scorers settings) {
        return new KvScorer(known);
    }

    @Override
    public double score(int instance) {
        return 1 - known.signal(instance, Signals.HELD);
    }
}
