package dev.stagesim.feature.plan;

import dev.stagesim.stats.Quantiles;
import java.util.stream.IntStream;

/** Minimum work of the requests of the first seed in tokens, sorted, for lower bounds. */
final class RequestWork {
    private final double[] prompts;
    private final double[] promptsOfSeveral;
    private final double[] promptsInOrder;
    private final double[] outputs;
    private final double[] computedSums;
    private final double[] decodeSums;
    private final double[] tokenSums;
    private final boolean isCacheable;

    RequestWork(RequestSamples requests) {
        // A prompt that shares tokens with others may be cached except for its last token.
        isCacheable = !requests.hasUniqueTokens();
        promptsInOrder = requests.prompts();
        outputs = requests.outputs();
        prompts = Quantiles.sorted(promptsInOrder);
        promptsOfSeveral = IntStream.range(0, outputs.length)
                .filter(i -> outputs[i] > 1)
                .mapToDouble(i -> promptsInOrder[i])
                .sorted()
                .toArray();
        computedSums = sums(i -> computed(promptsInOrder[i]));
        decodeSums = sums(this::decodes);
        tokenSums = sums(i -> computed(promptsInOrder[i]) + decodes(i));
    }

    /** Returns the minimum number of prompt tokens that steps compute. */
    double computed(double prompt) {
        return isCacheable ? 1 : prompt;
    }

    private double decodes(int request) {
        return Math.max(0, outputs[request] - 1);
    }

    /** Returns the sums of the {@code n} smallest values, indexed by n. */
    private double[] sums(java.util.function.IntToDoubleFunction value) {
        double[] sorted =
                IntStream.range(0, outputs.length).mapToDouble(value).sorted().toArray();
        double[] sums = new double[sorted.length + 1];
        for (int i = 0; i < sorted.length; i++) {
            sums[i + 1] = sums[i] + sorted[i];
        }
        return sums;
    }

    int size() {
        return outputs.length;
    }

    /** Prompt lengths in ascending order. */
    double[] prompts() {
        return prompts;
    }

    /** Prompt lengths of requests with more than one output token, in ascending order. */
    double[] promptsOfSeveral() {
        return promptsOfSeveral;
    }

    double prompt(int request) {
        return promptsInOrder[request];
    }

    double output(int request) {
        return outputs[request];
    }

    /** Minimum number of prompt tokens that are computed for {@code count} requests. */
    double computedTokens(int count) {
        return computedSums[count];
    }

    /** Minimum number of tokens that are decoded for {@code count} requests. */
    double decodedTokens(int count) {
        return decodeSums[count];
    }

    /** Minimum number of tokens of both kinds for {@code count} requests. */
    double tokens(int count) {
        return tokenSums[count];
    }
}
