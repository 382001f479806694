package dev.stagesim.feature.plan;

import dev.stagesim.stats.Quantiles;
import java.util.stream.IntStream;

/** Tokens that the requests of the first seed need at least, sorted, for lower bounds. */
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
        // a prompt that shares tokens with others may be cached except for its last token
        isCacheable = !requests.sharesNothing();
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

    /** Tokens of a prompt that steps compute at least. */
    double computed(double prompt) {
        return isCacheable ? 1 : prompt;
    }

    private double decodes(int request) {
        return Math.max(0, outputs[request] - 1);
    }

    /** Sums of the smallest values, by their number. */
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

    /** Prompt lengths by rising length. */
    double[] prompts() {
        return prompts;
    }

    /** Prompt lengths of requests with more than one output token, by rising length. */
    double[] promptsOfSeveral() {
        return promptsOfSeveral;
    }

    /** Prompt length of a request. */
    double prompt(int request) {
        return promptsInOrder[request];
    }

    /** Output length of a request. */
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
