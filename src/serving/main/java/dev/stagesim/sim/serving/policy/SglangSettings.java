package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRules;

/**
 * The settings of SGLang's scheduler, with its own names if it has them.
 *
 * @param chunkedPrefillSize maximum prompt tokens of a step, or 0 for whole prompts
 * @param maxPrefillTokens maximum prompt tokens of a step with whole prompts
 * @param pageSize tokens of a page
 * @param order order of the waiting requests
 * @param conservativeness factor on the share of the outputs that admission reserves
 * @param radixCache whether the prefix cache is on
 * @param eviction eviction policy of the prefix cache
 * @param mixedChunk whether steps with prompts also contain decodes
 * @param overlap whether a step is planned before the result of the last one is available
 * @param maxNewTokens maximum output tokens that requests specify, if larger than their actual output; 0 if they specify
 *         their actual output and ignore end tokens
 * @param rules rules of the engine's version
 */
public record SglangSettings(
        int chunkedPrefillSize,
        int maxPrefillTokens,
        int pageSize,
        QueueOrder.Policy order,
        double conservativeness,
        boolean radixCache,
        RadixTree.Eviction eviction,
        boolean mixedChunk,
        boolean overlap,
        int maxNewTokens,
        SglangRules rules) {
    private static final double INITIAL_RATIO = 0.7;
    private static final double MIN_SHARE = 0.14;
    private static final int DECAY_STEPS = 600;
    private static final int MIN_RUNNING = 2048;
    private static final int MAX_RUNNING = 4096;

    /** Returns the initial share of the outputs that admission reserves. */
    double firstRatio() {
        return Math.min(INITIAL_RATIO * conservativeness, 1);
    }

    double leastRatio() {
        return Math.min(firstRatio() * MIN_SHARE, 1);
    }

    double ratioDecay() {
        return (firstRatio() - leastRatio()) / DECAY_STEPS;
    }

    /** Returns the maximum number of steps between planning and processing. */
    public int stepsInFlight() {
        return overlap ? 2 : 1;
    }

    /**
     * Returns the default maximum number of running requests for {@code totalTokens} tokens of cache and a context of
     * {@code context} tokens.
     */
    public static int defaultRunning(long totalTokens, int context) {
        long sequences = (long) ((double) totalTokens / context * 512);
        return (int) Math.min(Math.max(sequences, MIN_RUNNING), MAX_RUNNING);
    }

    /**
     * SGLang's defaults for a device.
     *
     * @param chunkedPrefillSize maximum prompt tokens of a step
     * @param memFractionStatic share of the memory for weights and cache
     */
    public record Defaults(int chunkedPrefillSize, double memFractionStatic) {
        private static final double MIB_PER_GIB = 1024;

        /** Returns the defaults for the memory of a device and the number of devices of a replica. */
        public static Defaults of(double gib, int tensorParallel, int stages) {
            int chunk = gib < 35 ? 2048 : gib < 60 ? 4096 : gib < 160 ? 8192 : 16384;
            double reserved = 512 + 1.5 * chunk + 2 * graphs(gib, tensorParallel >= 4);
            reserved += tensorParallel * stages / 8.0 * MIB_PER_GIB;
            if (gib > 60) {
                reserved = Math.max(reserved, 10 * MIB_PER_GIB);
            }
            double mib = gib * MIB_PER_GIB;
            return new Defaults(chunk, Math.rint((mib - reserved) / mib * 1000) / 1000);
        }

        /** Returns the maximum decode batch with a CUDA graph. */
        private static int graphs(double gib, boolean isWide) {
            if (gib < 20) {
                return 8;
            }
            if (gib < 35) {
                return isWide ? 80 : 24;
            }
            if (gib < 60) {
                return isWide ? 160 : 32;
            }
            return gib < 160 && !isWide ? 256 : 512;
        }
    }
}
