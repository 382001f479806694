package dev.stagesim.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a serving engine adds to the kernels of a step: launches, host time, graphs, sampler; the section {@code engine.step}.
 *
 * <p>Host times are of a host of class 1 (that of an H100 or H200 machine); {@code hardware.host_class} scales them.
 */
@FormerKeys({"small=elementwise_kernels_per_layer", "fuse=elementwise_time_factor"})
public record StepCard(
        @Key("How decode steps are launched; none adds nothing to the kernels. | none") Execution execution,
        @Key("Largest batch that a captured graph exists for; larger ones run eager. | 512 | tokens | 1..1000000")
                int graphMaxTokens,
        @Key(
                        "Captured sizes: numbers, or from..to/step. A batch runs at the smallest captured size that is not below it."
                                + " Order and duplicates have no effect, as in vLLM. Empty for its exact size. | []")
                List<String> captureSizes,
        @Key("Whether steps with prompts run as graphs too. | false") boolean graphPrefill,
        @Key("Whether the host prepares the next step while this one runs. | false") boolean overlap,
        @Key("Time of the host to launch one operator. | 8 | us | 0..1000000") double launchUs,
        @Key("The same for a collective. | 20 | us | 0..1000000") double collectiveLaunchUs,
        @Key("Operators that the host launches for a dense layer. | 10 | 0..10000") int launchesDense,
        @Key("More of them where queries and keys are normalised. | 2 | 0..10000") int launchesQkNorm,
        @Key("More of them in a mixture of experts. | 8 | 0..10000") int launchesMoe,
        @Key("Idle time of the device between two kernels. | 0.4 | us | 0..1000000") double gapUs,
        @Key("Element-wise kernels of a layer. | 5 | 0..1000000") double elementwiseKernelsPerLayer,
        @Key("Time of an element-wise kernel, relative to that of the device's card. | 0.9 | 0.000001..1000000")
                double elementwiseTimeFactor,
        @Key("Time of all kernels, relative to that of the device's card. | 1 | 0.000001..1000000") double kernels,
        @Key("Rate of its matrix kernels, relative to the usual ones. | 1 | 0.000001..1000000") double compute,
        @Key("Whether 16-bit products are added up in 16 bits, which some devices do faster. | false") boolean halfSums,
        @Key("Products of at most this many rows run without matrix units, on weights as they are stored; greater ones"
                        + " unpack quantised weights to 16 bits first. | 0 | tokens | 0..1000000")
                int vectorRows,
        @Key(
                        "Bytes of a value between operators; products convert those that are not of 16 bits. | 2 | B | 0.000001..1000000")
                double activationBytes,
        @Key("Bytes that attention of prompts moves for each query and key of a head, where scores are kept in memory"
                        + " and no pair is skipped; 0 where it is one kernel. | 0 | B | 0..1000000000")
                double scoreBytes,
        @Key("Share of an all-reduce that is not hidden. | 1 | 0..1000000") double allReduce,
        @Key(
                        "Bandwidth that kernels reach of stacked memory (HBM), relative to what they reach of other memory. | 1 | 0.000001..1")
                double stackedMemory,
        @Key("Host time of a step: scheduling, preparing, handing out. | 0 | us | 0..1000000000") double stepUs,
        @Key("Host time of a step for each sequence in it. | 0 | us | 0..1000000000") double sequenceUs,
        @Key("More host time of a step that is spread over devices. | 0 | us | 0..1000000000") double parallelUs,
        @Key("More host time of a step for each device beyond the first, where the host talks to one after the other."
                        + " | 0 | us | 0..1000000000")
                double workerUs,
        @Key(
                        "Time from a request's arrival until it can be scheduled: HTTP, tokens, admission. | 0 | us | 0..1000000000")
                double requestUs,
        @Key("More of it for each token of the prompt, where a server gets text and turns it into tokens."
                        + " | 0 | us | 0..1000000000")
                double promptTokenUs,
        @Key("Time to sample a token by sorting, a logit; 0 where kernels do not sort. | 0 | ns | 0..1000")
                double samplerNs,
        @Key("Whether the KV cache is stored in 8 bits where weights have 8 or 4. | false") boolean kv8bit,
        @Key("Where the figures come from. | null") Optional<String> source,
        @Key("Engine and versions that the figures are of. | null") Optional<String> versions) {
    /** How the operators of a step get to the device. */
    public enum Execution {
        NONE, // Nothing is added: operators follow each other.
        EAGER, // The host launches every operator.
        GRAPH, // Decode steps replay a captured graph.
        PIECEWISE // Graphs between attention, which the host launches.
    }

    /**
     * Checks the captured sizes.
     *
     * @throws IllegalArgumentException when one is neither a number nor a range
     */
    public StepCard {
        captureSizes.forEach(StepCard::sizes);
    }

    /** No engine: nothing is added to operators. */
    public StepCard none() {
        return with("execution", Execution.NONE);
    }

    /** The same engine with graphs between attention alone. */
    public StepCard inPieces() {
        return with("execution", Execution.PIECEWISE);
    }

    /** The same engine with another sampler. */
    public StepCard sampling(double nanosecondsALogit) {
        return with("samplerNs", nanosecondsALogit);
    }

    /** The same engine with graphs of these sizes. */
    public StepCard capturing(List<String> sizes) {
        return with("captureSizes", sizes);
    }

    private StepCard with(String component, Object value) {
        return KeyRecord.with(StepCard.class, this, Map.of(component, value));
    }

    /** Time from the arrival of a request with such a prompt until it can be scheduled. */
    public double arrivalUs(double promptTokens) {
        return requestUs + promptTokenUs * promptTokens;
    }

    /** Size that a batch runs at as a graph: the next captured one, or its own where none is. */
    public int padded(int tokens) {
        return padded(captured(), tokens);
    }

    /** First, last and step of the ranges of captured sizes. */
    public int[][] captured() {
        return captureSizes.stream().map(StepCard::sizes).toArray(int[][]::new);
    }

    /** As {@link #padded(int)}, of ranges that are known already. */
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

    /** First, last and step of a range. */
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
