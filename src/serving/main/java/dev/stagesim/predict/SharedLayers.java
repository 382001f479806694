package dev.stagesim.predict;

/** Work that lockstep engines share in every layer: experts that receive tokens from all engines. */
public interface SharedLayers {
    /**
     * Milliseconds of a layer's shared part.
     *
     * @param maxTokens maximum tokens of one engine
     * @param all tokens of all engines
     */
    double milliseconds(int maxTokens, long all);

    /** Milliseconds of {@link #milliseconds} in which devices send tokens to the experts and back. */
    double exchangeMilliseconds(int maxTokens, long all);

    /** True if a step runs as a CUDA graph, so that it can be padded to the tokens of another engine. */
    boolean isGraph(int tokens, boolean hasPrompts);
}
