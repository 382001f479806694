package dev.stagesim.feature.plan;

import dev.stagesim.model.Precision;
import dev.stagesim.model.StepCard;
import java.util.Locale;

/**
 * One way to run copies of a model: engine, parallelism, precision and limits of a batch.
 *
 * @param shape what decides how long a step takes
 * @param maxNumSeqs most requests of a step
 * @param maxNumBatchedTokens most tokens of a step
 */
record Deployment(Shape shape, int maxNumSeqs, int maxNumBatchedTokens) {
    /**
     * Engine, parallelism and precision.
     *
     * @param engine name of the engine
     * @param card what it adds to kernels
     * @param tp devices that share each layer
     * @param pp groups of devices that share the layers
     * @param weights how weights are stored
     * @param experts how routed experts are stored
     * @param kv how the cache is stored
     */
    record Shape(String engine, StepCard card, int tp, int pp, Precision weights, Precision experts, Precision kv) {
        /** Devices of a copy. */
        int devices() {
            return tp * pp;
        }

        /** For people: tp 4, FP8 weights, BF16 KV cache. */
        String words() {
            return "tp " + tp + (pp > 1 ? ", pp " + pp : "") + ", " + name(weights)
                    + (experts == weights ? "" : " and " + name(experts)) + " weights, " + name(kv) + " KV cache";
        }
    }

    static String name(Precision precision) {
        return precision.name().replace("FP8_BLOCK", "block FP8");
    }

    static String id(Precision precision) {
        return precision.name().toLowerCase(Locale.ROOT);
    }
}
