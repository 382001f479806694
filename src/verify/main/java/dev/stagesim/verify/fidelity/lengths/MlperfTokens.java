package dev.stagesim.verify.fidelity.lengths;

import java.util.Map;
import java.util.Optional;

/**
 * Mean lengths of the requests of MLPerf Inference, for rows with other lengths. The prompts are those of the samples in the
 * data sets (openshift-psap/performance-dashboard 7100702, Apache-2.0). Models generate other outputs than the references in
 * these files.
 */
public final class MlperfTokens {
    /** Mean prompt tokens by part of the model name. Rows of Llama 2 list the length of its outputs twice. */
    private static final Map<String, Integer> PROMPTS =
            Map.of("Llama-2-70b", 222, "Mixtral-8x7B", 427, "Llama-3.1-8B", 871);

    /** Output tokens of a summary, the limit of the task. Rows of 6.0 list 73; the throughput divided by the rate is 129. */
    private static final int SUMMARY = 128;

    private MlperfTokens() {}

    /** Returns the mean prompt tokens of a row, or empty to keep the value of the row. */
    public static Optional<Integer> input(String source, String model) {
        return source.startsWith("mlperf-inference")
                ? PROMPTS.entrySet().stream()
                        .filter(tokens -> model.contains(tokens.getKey()))
                        .map(Map.Entry::getValue)
                        .findFirst()
                : Optional.empty();
    }

    /** Returns the mean output tokens of a row, or empty to keep the value of the row. */
    public static Optional<Integer> output(String source, String model) {
        return source.equals("mlperf-inference-6.0") && model.contains("Llama-3.1-8B")
                ? Optional.of(SUMMARY)
                : Optional.empty();
    }
}
