package dev.stagesim.sim.serving.memory;

/** What a request asks a cache for when it is scheduled; one object is used again and again. */
public final class Growth {
    /** Tokens computed before, without what a match found. */
    public int computed;
    /** Tokens behind those of the match that come from elsewhere. */
    public int external;
    /** Tokens that the step computes. */
    public int scheduled;
    /** Positions behind them that draft tokens may write to. */
    public int lookahead;
    /** Tokens of prompt and accepted output. */
    public int known;
    /** Tokens of steps that are not processed yet. */
    public int inFlight;
    /** Whether the whole sequence must fit, not only this step. */
    public boolean mustFitWhole;
    /** Blocks that must stay free. */
    public int watermark;
    /** Free blocks that are spoken for. */
    public int reserved;
    /** Whether the content comes later, so that nothing can be found yet. */
    public boolean isDelayed;

    /** A step of a request that runs. */
    public Growth running(int computedBefore, int tokens, int ahead, int knownTokens, int tokensInFlight) {
        computed = computedBefore;
        external = 0;
        scheduled = tokens;
        lookahead = ahead;
        known = knownTokens;
        inFlight = tokensInFlight;
        mustFitWhole = false;
        watermark = 0;
        reserved = 0;
        isDelayed = false;
        return this;
    }
}
