package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;
import dev.stagesim.model.card.CardRule;
import java.util.List;

/** Launch mode and captured graphs. */
public record GraphModes(
        @Key("Launch mode of decode steps; none adds no time to the kernels. | none") StepCard.Execution execution,
        @Key("Maximum batch with a captured graph; larger batches run eager. | 512 | tokens | 1..1000000")
                int graphMaxTokens,
        @Key(
                        "Captured sizes: numbers, or from..to/step. A batch runs at the smallest captured size that is not below it."
                                + " Order and duplicates have no effect, as in vLLM. Empty for its exact size. | []")
                List<String> captureSizes,
        @Key("Whether steps with prompts run as graphs too. | false") boolean graphPrefill,
        @Key("Whether the host prepares the next step while this one runs. | false") boolean overlap) {
    /**
     * Checks the captured sizes.
     *
     * @throws IllegalArgumentException if one is neither a number nor a range
     */
    public GraphModes {
        captureSizes.forEach(GraphModes::sizes);
    }

    /** Returns the first size, last size and step of each captured range. */
    public int[][] captured() {
        return captureSizes.stream().map(GraphModes::sizes).toArray(int[][]::new);
    }

    /** Returns the size at which a batch runs as a graph: the next captured size, or its own size if there is none. */
    public static int padded(int[][] captured, int tokens) {
        int best = Integer.MAX_VALUE;
        for (int[] range : captured) {
            int above = Math.max(0, tokens - range[0]);
            int size = range[0] + (above + range[2] - 1) / range[2] * range[2];
            if (size <= range[1]) {
                best = Math.min(best, size);
            }
        }
        return best == Integer.MAX_VALUE ? tokens : best;
    }

    /** Parses a range into its first size, last size and step. */
    private static int[] sizes(String text) {
        try {
            int dots = text.indexOf("..");
            if (dots < 0) {
                int size = Integer.parseInt(text);
                CardRule.require(size >= 1, "'" + text + "' is no captured size, expected 1 or more");
                return new int[] {size, size, 1};
            }
            int slash = text.indexOf('/', dots);
            int end = slash < 0 ? text.length() : slash;
            int step = slash < 0 ? 1 : Integer.parseInt(text.substring(slash + 1));
            if (step < 1) {
                throw new NumberFormatException();
            }
            int first = Integer.parseInt(text.substring(0, dots));
            int last = Integer.parseInt(text.substring(dots + 2, end));
            CardRule.require(
                    1 <= first && first <= last && (last - first) % step == 0,
                    "'" + text
                            + "' is no captured range: from 1, ascending, and to must be from plus a multiple of step");
            return new int[] {first, last, step};
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no captured size, expected a number or from..to/step, for example 8..256/8", e);
        }
    }
}
