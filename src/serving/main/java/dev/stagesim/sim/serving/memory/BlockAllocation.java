package dev.stagesim.sim.serving.memory;

/** The blocks that a request needs for a step; the object is reused. */
public final class BlockAllocation {
    /** Tokens computed before the step, without the matched tokens. */
    public int computed;
    /** Tokens after the match that the KV connector provides. */
    public int external;
    /** Tokens that the step computes. */
    public int scheduled;
    /** Positions after these tokens that draft tokens may use. */
    public int lookahead;
    /** Tokens of prompt and accepted output. */
    public int known;
    /** Tokens of steps that are not processed yet. */
    public int inFlight;
    /** Whether the whole sequence must fit, not only this step. */
    public boolean mustFitWhole;
    /** Blocks that must stay free. */
    public int watermark;
    /** Free blocks that are reserved for other requests. */
    public int reserved;
    /** Whether the content arrives later, so that no lookup may find it yet. */
    public boolean isDelayed;

    /** Sets the values for a step of a running request. */
    public BlockAllocation running(int computedBefore, int tokens, int ahead, int knownTokens, int tokensInFlight) {
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
