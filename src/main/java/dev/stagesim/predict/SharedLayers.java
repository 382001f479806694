package dev.stagesim.predict;

/** What engines that run in step compute together in every layer: experts that all of them send their tokens to. */
public interface SharedLayers {
    /**
     * Milliseconds of a layer's shared part.
     *
     * @param most tokens of the engine that has most
     * @param all tokens of all engines
     */
    double milliseconds(int most, long all);

    /** Whether a step is a captured graph, so that it can be padded to the tokens of another engine's. */
    boolean isGraph(int tokens, boolean hasPrompts);
}
