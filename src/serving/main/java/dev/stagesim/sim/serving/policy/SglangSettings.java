package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RadixTree;

/**
 * Settings of SGLang's scheduler, in its own words where it has them.
 *
 * @param chunkedPrefillSize prompt tokens of a step, 0 for whole prompts
 * @param maxPrefillTokens prompt tokens of a step when prompts are whole
 * @param pageSize tokens of a page
 * @param order what waiting requests are ordered by
 * @param conservativeness scales the share of the outputs that admission reserves
 * @param radixCache whether prefixes are kept
 * @param eviction which prefix goes first
 * @param mixedChunk whether decodes join steps with prompts
 * @param overlap whether a step is planned before the result of the last one is known
 * @param maxNewTokens output tokens that requests ask for, where these are more than they get
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
        int maxNewTokens) {
    private static final double INITIAL_RATIO = 0.7;
    private static final double LEAST_SHARE = 0.14;
    private static final int DECAY_STEPS = 600;
    private static final int LEAST_RUNNING = 2048;
    private static final int MOST_RUNNING = 4096;

    /** Share of the outputs that admission reserves at first. */
    double firstRatio() {
        return Math.min(INITIAL_RATIO * conservativeness, 1);
    }

    double leastRatio() {
        return Math.min(firstRatio() * LEAST_SHARE, 1);
    }

    double ratioDecay() {
        return (firstRatio() - leastRatio()) / DECAY_STEPS;
    }

    /** Steps that can be between planning and processing. */
    public int stepsInFlight() {
        return overlap ? 2 : 1;
    }

    /** Maximum requests that run when nothing is said, with so many tokens of cache and a context of so many. */
    public static int usualRunning(long totalTokens, int context) {
        long sequences = (long) ((double) totalTokens / context * 512);
        return (int) Math.min(Math.max(sequences, LEAST_RUNNING), MOST_RUNNING);
    }

    /**
     * What SGLang uses on a device when nothing is said.
     *
     * @param chunkedPrefillSize prompt tokens of a step
     * @param memFractionStatic share of the memory for weights and cache
     */
    public record Defaults(int chunkedPrefillSize, double memFractionStatic) {
        private static final double MIB_PER_GIB = 1024;

        /** The defaults of a device by its memory, with so many devices a replica. */
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

        /** Greatest decode batch that is captured. */
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
