package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.RouterView;

/** The fewest tokens of prompts to compute, with what this one would add. */
final class TokenLoadScorer implements Scorer {
    private final RouterView view;
    private final double full;
    private int prompt;

    private TokenLoadScorer(RouterView view, double full) {
        this.view = view;
        this.full = full;
    }

    static Scorer of(RouterView view, Scorers settings) {
        return new TokenLoadScorer(view, settings.fullTokens());
    }

    @Override
    public void begin(int request) {
        prompt = view.prompts.promptTokens(request);
    }

    @Override
    public double score(int instance) {
        double load = view.tokens(instance) + prompt - view.hitTokens(instance);
        return 1 - Math.min(load, full) / full;
    }
}
