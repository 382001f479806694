package dev.stagesim.feature;

import dev.stagesim.model.Precision;
import dev.stagesim.model.StepCard;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * One way to run copies of a model: engine, parallelism, precision and limits of a batch.
 *
 * @param shape what decides how long a step takes
 * @param maxNumSeqs most requests of a step
 * @param maxNumBatchedTokens most tokens of a step
 */
public record Deployment(Shape shape, int maxNumSeqs, int maxNumBatchedTokens) {
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
    public record Shape(
            String engine, StepCard card, int tp, int pp, Precision weights, Precision experts, Precision kv) {
        /** The engine's kind; unknown ones are refused before. */
        public Kind kind() {
            return Kind.of(engine).orElseThrow();
        }

        /** Devices of a copy. */
        public int devices() {
            return tp * pp;
        }

        /** For people: tp 4, FP8 weights, BF16 KV cache. */
        public String words() {
            return "tp " + tp + (pp > 1 ? ", pp " + pp : "") + ", " + name(weights)
                    + (experts == weights ? "" : " and " + name(experts)) + " weights, " + name(kv) + " KV cache";
        }
    }

    /** Engines whose batches and flags are known; a card's name begins with one of theirs. */
    public enum Kind {
        VLLM("vLLM"),
        SGLANG("SGLang"),
        TRTLLM("TensorRT-LLM");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        /** For people. */
        public String words() {
            return words;
        }

        public String beginning() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The kind of an engine by its name; empty when nothing is known of it. */
        public static Optional<Kind> of(String engine) {
            return Arrays.stream(values())
                    .filter(kind -> engine.startsWith(kind.beginning()))
                    .findFirst();
        }
    }

    public static String name(Precision precision) {
        return precision.name().replace("FP8_BLOCK", "block FP8");
    }

    public static String id(Precision precision) {
        return precision.name().toLowerCase(Locale.ROOT);
    }
}
