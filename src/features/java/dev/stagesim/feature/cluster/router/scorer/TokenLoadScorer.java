package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.Knowledge;

/** The fewest tokens of prompts to compute, with what this one would add. */
final class TokenLoadScorer implements Scorer {
    private final Knowledge known;
    private final double full;
    private int prompt;

    private TokenLoadScorer(Knowledge known, double full) {
        this.known = known;
        this.full = full;
    }

    static Scorer of(Knowledge known, Scorers settings) {
        return new TokenLoadScorer(known, settings.fullTokens());
    }

    @Override
    public void begin(int request) {
        prompt = known.prompts.promptTokens(request);
    }

    @Override
    public double score(int instance) {
        double load = known.tokens(instance) + prompt - known.hitTokens(instance);
        return 1 - Math.min(load, full) / full;
    }
}
