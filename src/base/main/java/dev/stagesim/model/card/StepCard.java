package dev.stagesim.model.card;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Time that a serving engine adds to the kernels of a step: launches, host time, graphs, sampler; the section {@code
 * engine.step}.
 *
 * <p>Host times refer to a host of class 1, the host of an H100 or H200 machine; {@code hardware.host_class} scales
 * them.
 */
@FormerKeys({"small=elementwise_kernels_per_layer", "fuse=elementwise_time_factor"})
public record StepCard(
        @Key("Launch mode of decode steps; none adds no time to the kernels. | none") Execution execution,
        @Key("Maximum batch with a captured graph; larger batches run eager. | 512 | tokens | 1..1000000")
                int graphMaxTokens,
        @Key(
                        "Captured sizes: numbers, or from..to/step. A batch runs at the smallest captured size that is not below it."
                                + " Order and duplicates have no effect, as in vLLM. Empty for its exact size. | []")
                List<String> captureSizes,
        @Key("Whether steps with prompts run as graphs too. | false") boolean graphPrefill,
        @Key("Whether the host prepares the next step while this one runs. | false") boolean overlap,
        @Key("Host time to launch one operator. | 8 | us | 0..1000000") double launchUs,
        @Key("Host time to launch a collective. | 20 | us | 0..1000000") double collectiveLaunchUs,
        @Key("Operators launched per dense layer. | 10 | 0..10000") int launchesDense,
        @Key("Additional operators if queries and keys are normalised. | 2 | 0..10000") int launchesQkNorm,
        @Key("Additional operators of a layer with experts. | 8 | 0..10000") int launchesMoe,
        @Key("Idle time of the device between two kernels. | 0.4 | us | 0..1000000") double gapUs,
        @Key("Element-wise kernels per layer. | 5 | 0..1000000") double elementwiseKernelsPerLayer,
        @Key("Factor on the time of the device's element-wise kernels. | 0.9 | 0.000001..1000000")
                double elementwiseTimeFactor,
        @Key("Factor on the time of all kernels of the device. | 1 | 0.000001..1000000") double kernels,
        @Key("Factor on the rate of matrix kernels. | 1 | 0.000001..1000000") double compute,
        @Key("Whether 16-bit products accumulate in 16 bits, which is faster on some devices. | false")
                boolean halfSums,
        @Key("Maximum rows of products that run without matrix units on stored weights; larger products"
                        + " first unpack quantised weights to 16 bits. | 0 | tokens | 0..1000000")
                int vectorRows,
        @Key(
                        "Bytes of a value between operators; products convert values that do not have 16 bits. | 2 | B | 0.000001..1000000")
                double activationBytes,
        @Key("Bytes that prefill attention moves per query, key and head if scores are kept in memory"
                        + " and no pair is skipped; 0 if it is one kernel. | 0 | B | 0..1000000000")
                double scoreBytes,
        @Key("Share of an all-reduce that is not hidden. | 1 | 0..1000000") double allReduce,
        @Key("Bandwidth efficiency of kernels with stacked memory (HBM), relative to other memory. | 1 | 0.000001..1")
                double stackedMemory,
        @Key("Host time per step: scheduling, preparation, output. | 0 | us | 0..1000000000") double stepUs,
        @Key("Host time per step and sequence. | 0 | us | 0..1000000000") double sequenceUs,
        @Key("Additional host time of a step on several devices. | 0 | us | 0..1000000000") double parallelUs,
        @Key(
                        "Additional host time of a step for each device after the first, if the host addresses devices sequentially."
                                + " | 0 | us | 0..1000000000")
                double workerUs,
        @Key(
                        "Time from a request's arrival until it can be scheduled: HTTP, tokenization, admission. | 0 | us | 0..1000000000")
                double requestUs,
        @Key("Additional time per prompt token, if the server receives text and tokenizes it."
                        + " | 0 | us | 0..1000000000")
                double promptTokenUs,
        @Key("Time per logit to sample a token by sorting; 0 if kernels do not sort. | 0 | ns | 0..1000")
                double samplerNs,
        @Key("Whether the KV cache has 8 bits if weights have 8 or 4. | false") boolean kv8bit,
        @Key("Vendor of the devices that the engine runs on; null for any. | null") Optional<String> vendor,
        @Key("Source of the values. | null") Optional<String> source,
        @Key("Engine and versions of the values. | null") Optional<String> versions) {
    /** Launch mode of the operators of a step. */
    public enum Execution {
        NONE, // No launch time: operators run back to back.
        EAGER, // The host launches every operator.
        GRAPH, // Decode steps replay a captured graph.
        PIECEWISE // Graphs between attention operators, which the host launches.
    }

    /**
     * Checks the captured sizes.
     *
     * @throws IllegalArgumentException if one is neither a number nor a range
     */
    public StepCard {
        captureSizes.forEach(StepCard::sizes);
    }

    /** Returns the card without an engine: no time is added to operators. */
    public StepCard none() {
        return with("execution", Execution.NONE);
    }

    /** Returns the card with piecewise graphs. */
    public StepCard inPieces() {
        return with("execution", Execution.PIECEWISE);
    }

    /** Returns the card with another sampler. */
    public StepCard sampling(double nanosecondsALogit) {
        return with("samplerNs", nanosecondsALogit);
    }

    /** Returns the card with other captured sizes. */
    public StepCard capturing(List<String> sizes) {
        return with("captureSizes", sizes);
    }

    private StepCard with(String component, Object value) {
        return KeyRecord.with(StepCard.class, this, Map.of(component, value));
    }

    /** Returns the time from the arrival of a request until it can be scheduled. */
    public double arrivalUs(double promptTokens) {
        return requestUs + promptTokenUs * promptTokens;
    }

    /** Returns the first size, last size and step of each captured range. */
    public int[][] captured() {
        return captureSizes.stream().map(StepCard::sizes).toArray(int[][]::new);
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
