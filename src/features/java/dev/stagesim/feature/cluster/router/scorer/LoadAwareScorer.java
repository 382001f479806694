package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.RouterView;

/** Half for an empty queue, and less for each request that waits. */
record LoadAwareScorer(RouterView view, double full) implements Scorer {
    private static final double EMPTY = 0.5;

    static Scorer of(RouterView view, Scorers settings) {
        return new LoadAwareScorer(view, settings.fullQueue());
    }

    @Override
    public double score(int instance) {
        return EMPTY * (1 - Math.min(view.signal(instance, Signals.WAITING), full) / full);
    }
}
