package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.Knowledge;

/** The share of the blocks of the prompt that an instance was sent, and a part for its length. */
final class PrefixCacheScorer implements Scorer {
    /** Tokens from which the part for the length is whole. */
    private static final double WHOLE = 8192;

    private final Knowledge known;
    private final double lengthPart;

    private PrefixCacheScorer(Knowledge known, double lengthPart) {
        this.known = known;
        this.lengthPart = lengthPart;
    }

    static Scorer of(Knowledge known, Scorers settings) {
        return new PrefixCacheScorer(known, settings.lengthPart());
    }

    @Override
    public double score(int instance) {
        double length = Math.min(1, known.hitTokens(instance) / WHOLE);
        return lengthPart * length * length + (1 - lengthPart) * known.hitShare(instance);
    }
}
