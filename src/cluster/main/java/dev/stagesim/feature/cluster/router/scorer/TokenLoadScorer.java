package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;

/** Prefers few prompt tokens to compute, including the request itself. */
final class TokenLoadScorer implements Scorer {
    /** The section of this scorer. */
    record Settings(
            @Key("Weight of the score. | 1 | 0..1000000") double weight,
            @Key("Tokens with score 0. | 4194304 | tokens | 1..1000000000000000000")
                    @OnlyIf("weight > 0 | the scorer has no weight | set weight")
                    long tokenSaturation)
            implements ScorerFactory {
        @Override
        public Scorer make(RouterView view) {
            return new TokenLoadScorer(view, tokenSaturation);
        }
    }

    private final RouterView view;
    private final double saturation;
    private int prompt;

    private TokenLoadScorer(RouterView view, double saturation) {
        this.view = view;
        this.saturation = saturation;
    }

    @Override
    public void begin(int request) {
        prompt = view.prompts.promptTokens(request);
    }

    @Override
    public double score(int instance) {
        double load = view.tokens(instance) + prompt - view.hitTokens(instance);
        return 1 - Math.min(load, saturation) / saturation;
    }
}
