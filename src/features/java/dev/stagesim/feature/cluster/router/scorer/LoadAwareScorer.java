package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.Knowledge;

/** Half for an empty queue, and less for each request that waits. */
record LoadAwareScorer(Knowledge known, double full) implements Scorer {
    private static final double EMPTY = 0.5;

    static Scorer of(Knowledge known, Scorers settings) {
        return new LoadAwareScorer(known, settings.fullQueue());
    }

    @Override
    public double score(int instance) {
        return EMPTY * (1 - Math.min(known.signal(instance, Signals.WAITING), full) / full);
    }
}
