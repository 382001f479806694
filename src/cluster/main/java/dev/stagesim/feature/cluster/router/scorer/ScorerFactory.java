package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.RouterView;

/** The section {@code cluster.router.scorers.NAME}. Each scorer has its record in its file, and a line in {@link Scorers}. */
interface ScorerFactory {
    double weight();

    Scorer make(RouterView view);

    /** Returns true if the scorer reads instance metrics. */
    default boolean readsSignals() {
        return false;
    }
}
