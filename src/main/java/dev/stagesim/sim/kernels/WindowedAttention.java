package dev.stagesim.sim.kernels;

import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;

/**
 * Pairs of queries and keys that causal attention forms, averaged over layers with and without a sliding window.
 *
 * @param window tokens a windowed layer attends to
 * @param windowedShare share of the layers that are windowed, 0 to 1
 */
record WindowedAttention(double window, double windowedShare) {
    /** Every second layer is windowed. */
    private static final double ALTERNATE = 0.5;

    /** Five windowed layers, then one that is not. */
    private static final double FIVE_OF_SIX = 5.0 / 6;

    static WindowedAttention of(ModelCard model) {
        double share = model.slidingWindow().isEmpty()
                ? 0
                : switch (model.swaPattern().orElse("")) {
                    case "" -> 1;
                    case "alternate" -> ALTERNATE;
                    case "5 local:1 global" -> FIVE_OF_SIX;
                    default ->
                        throw StageException.input(Problem.of(
                                        "config error",
                                        "model.swa_pattern",
                                        "unknown pattern '" + model.swaPattern().orElse("") + "'")
                                .options(List.of("alternate", "5 local:1 global"))
                                .hint("null makes every layer windowed"));
                };
        return new WindowedAttention(model.slidingWindow().orElse(0), share);
    }

    /** Query-key pairs of a chunk that follows {@code kv} cached tokens; each token also attends to itself. */
    double pairs(double kv, double chunk) {
        double full = chunk * kv + chunk * (chunk + 1) / 2;
        if (windowedShare == 0) {
            return full;
        }
        double growing = Math.max(0, Math.min(chunk, window - kv));
        double local = growing * kv + growing * (growing + 1) / 2 + (chunk - growing) * window;
        return windowedShare * local + (1 - windowedShare) * full;
    }

    /** Cached and new tokens whose keys and values a chunk reads. */
    double read(double kv, double chunk) {
        double all = kv + chunk;
        return windowedShare * Math.min(all, window + chunk) + (1 - windowedShare) * all;
    }
}
