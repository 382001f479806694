package dev.stagesim.sim.kernels;

import dev.stagesim.model.LayerPattern;
import dev.stagesim.model.ModelCard;

/**
 * Pairs of queries and keys that causal attention forms, averaged over layers with and without a window.
 *
 * @param window tokens a windowed layer attends to, or tokens of a chunk
 * @param windowedShare share of the layers that are windowed, 0 to 1
 * @param isChunked whether windowed layers attend to the tokens of their own chunk
 */
record WindowedAttention(double window, double windowedShare, boolean isChunked) {
    static WindowedAttention of(ModelCard model) {
        LayerPattern pattern = LayerPattern.of(model);
        return new WindowedAttention(model.slidingWindow().orElse(0), pattern.share(), pattern.isChunked());
    }

    /** Query-key pairs of a chunk that follows {@code kv} cached tokens; each token also attends to itself. */
    double pairs(double kv, double chunk) {
        double full = chunk * kv + chunk * (chunk + 1) / 2;
        if (windowedShare == 0) {
            return full;
        }
        return windowedShare * (isChunked ? inChunks(kv, chunk) : inWindow(kv, chunk)) + (1 - windowedShare) * full;
    }

    private double inWindow(double kv, double chunk) {
        double growing = Math.max(0, Math.min(chunk, window - kv));
        return growing * kv + growing * (growing + 1) / 2 + (chunk - growing) * window;
    }

    /** A token alone stands for many at different places of their chunks, which on average are half full. */
    private double inChunks(double kv, double chunk) {
        return chunk == 1 && kv >= window ? (window + 1) / 2 : upTo(kv + chunk) - upTo(kv);
    }

    /** Pairs of the first {@code tokens} tokens. */
    private double upTo(double tokens) {
        double rest = tokens % window;
        return Math.floor(tokens / window) * window * (window + 1) / 2 + rest * (rest + 1) / 2;
    }
}
