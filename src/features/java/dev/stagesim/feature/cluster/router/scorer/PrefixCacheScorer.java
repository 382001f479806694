package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.RouterView;

/** The share of the blocks of the prompt that an instance was sent, and a part for its length. */
final class PrefixCacheScorer implements Scorer {
    /** Tokens from which the part for the length is whole. */
    private static final double WHOLE = 8192;

    private final RouterView view;
    private final double lengthPart;

    private PrefixCacheScorer(RouterView view, double lengthPart) {
        this.view = view;
        this.lengthPart = lengthPart;
    }

    static Scorer of(RouterView view, Scorers settings) {
        return new PrefixCacheScorer(view, settings.lengthPart());
    }

    @Override
    public double score(int instance) {
        double length = Math.min(1, view.hitTokens(instance) / WHOLE);
        return lengthPart * length * length + (1 - lengthPart) * view.hitShare(instance);
    }
}
