package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;

/** Prefers long prefix matches, by share of the prompt and by length. */
final class PrefixCacheScorer implements Scorer {
    /** The section of this scorer. */
    record Settings(
            @Key("Weight of the score. | 0 | 0..1000000") double weight,
            @Key(
                            "Weight of the match length, as (tokens / 8,192, at most 1) squared, in the score; the rest is the matched share. | 0 | 0..1")
                    @OnlyIf("weight > 0 | the scorer has no weight | set weight")
                    double matchLengthWeight)
            implements ScorerFactory {
        @Override
        public Scorer make(RouterView view) {
            return new PrefixCacheScorer(view, matchLengthWeight);
        }
    }

    /** Match length with the maximum score, in tokens. */
    private static final double MAX_LENGTH = 8192;

    private final RouterView view;
    private final double matchLengthWeight;

    private PrefixCacheScorer(RouterView view, double matchLengthWeight) {
        this.view = view;
        this.matchLengthWeight = matchLengthWeight;
    }

    @Override
    public double score(int instance) {
        double length = Math.min(1, view.hitTokens(instance) / MAX_LENGTH);
        return matchLengthWeight * length * length + (1 - matchLengthWeight) * view.hitShare(instance);
    }
}
