package dev.stagesim.sim.serving.settings;

import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRule;
import dev.stagesim.sim.serving.memory.SglangRules;

/**
 * Settings of SGLang's scheduler. Options of SGLang keep their names.
 *
 * @param chunkedPrefillSize maximum prompt tokens of a step, or 0 for whole prompts
 * @param maxPrefillTokens maximum prompt tokens of a step with whole prompts
 * @param pageSize tokens of a page
 * @param order order of the waiting requests
 * @param conservativeness factor on the share of the remaining output tokens for which admission reserves memory
 * @param radixCache whether the prefix cache is on
 * @param eviction eviction policy of the prefix cache, with the rules of the engine's version
 * @param mixedChunk whether steps with prompts also contain decodes; no effect on whole prompts
 * @param overlap whether a step is planned before the result of the last one is available
 * @param maxNewTokens output limit that requests specify; 0 if each request specifies its actual output
 */
public record SglangSettings(
        int chunkedPrefillSize,
        int maxPrefillTokens,
        int pageSize,
        SchedulePolicy order,
        double conservativeness,
        boolean radixCache,
        RadixTree.EvictionRule eviction,
        boolean mixedChunk,
        boolean overlap,
        int maxNewTokens) {
    public SglangSettings {
        mixedChunk &= chunkedPrefillSize > 0;
    }

    /** Factor on the conservativeness of engines that share experts. */
    public static final double SHARED_CONSERVATIVENESS = 0.3;

    private static final double INITIAL_RATIO = 0.7;
    private static final double MIN_SHARE = 0.14;
    private static final int DECAY_STEPS = 600;
    private static final int MIN_RUNNING = 2048;
    private static final int MAX_RUNNING = 4096;

    /** Returns these settings for a decode engine, which caches no prefixes. */
    public SglangSettings ofDecodeEngine() {
        return new SglangSettings(
                chunkedPrefillSize,
                maxPrefillTokens,
                pageSize,
                SchedulePolicy.FCFS,
                conservativeness,
                false,
                eviction,
                false,
                overlap,
                maxNewTokens);
    }

    /** Returns the rules of the engine's version. */
    public SglangRules rules() {
        return eviction.rules();
    }

    /** Returns the initial share of the outputs that admission reserves. */
    public double firstRatio() {
        return Math.min(INITIAL_RATIO * conservativeness, 1);
    }

    public double leastRatio() {
        return Math.min(firstRatio() * MIN_SHARE, 1);
    }

    public double ratioDecay() {
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
     * Devices of a replica.
     *
     * @param tensor devices that share the attention of an engine
     * @param engines engines that share experts
     */
    public record Parallelism(int tensor, int stages, int engines, boolean isExpertParallel) {
        /** Returns SGLang's tensor parallelism, which counts the devices of all engines. */
        int total() {
            return tensor * engines;
        }
    }

    /**
     * SGLang's defaults for a replica.
     *
     * @param gib memory of a device
     * @param isLatent whether the model has latent attention
     */
    public record Defaults(double gib, Parallelism devices, boolean isLatent, SglangRules rules) {
        private static final double MIB_PER_GIB = 1024;

        /** Captured decode batch above which DP attention reserves half as much again. */
        private static final int LARGE_GRAPHS = 300;

        private static final int MIB_PER_PROMPT_GRAPH = 8;

        /** Returns the maximum prompt tokens of a step, over all engines that share experts. */
        public int chunkedPrefillSize() {
            if (gib < (rules.has(SglangRule.LARGER_SMALL_DEVICES) ? 20 : 35)) {
                return 2048;
            }
            return gib < 60 ? 4096 : gib < 160 ? 8192 : 16384;
        }

        /**
         * Returns the share of the memory for weights and cache.
         *
         * @param promptTokens maximum prompt tokens of a step
         */
        public double memFractionStatic(int promptTokens) {
            double reserved = 512 + 1.5 * Math.max(promptTokens, 2048) + 2 * graphs();
            reserved += devices.total() * devices.stages() / 8.0 * MIB_PER_GIB;
            if (devices.engines() > 1) {
                reserved += graphs() * devices.engines() * (graphs() > LARGE_GRAPHS ? 4.5 : 3);
            }
            if (rules.has(SglangRule.RESERVES_PROMPT_GRAPHS) && devices.stages() == 1) {
                reserved += isLatent ? 1.5 * MIB_PER_GIB : MIB_PER_PROMPT_GRAPH * promptGraphs(promptTokens);
            }
            if (gib > 60) {
                reserved = Math.max(reserved, 10 * MIB_PER_GIB);
            }
            if (devices.engines() > 1 && devices.isExpertParallel()) {
                reserved += 2 * MIB_PER_GIB; // buffers of DeepEP
            }
            double mib = gib * MIB_PER_GIB;
            return Math.rint((mib - reserved) / mib * 1000) / 1000;
        }

        /** Returns the maximum decode batch with a CUDA graph. */
        private int graphs() {
            boolean isWide = devices.total() >= 4;
            if (gib < 20) {
                return 8;
            }
            if (gib < 35) {
                return rules.has(SglangRule.LARGER_SMALL_DEVICES) ? (isWide ? 160 : 48) : (isWide ? 80 : 24);
            }
            if (gib < 60) {
                return isWide ? 160 : 32;
            }
            return gib < 160 && !isWide ? 256 : 512;
        }

        /** Returns the number of captured prompt sizes up to {@code tokens}: in steps of 4, 16, 32, 64, 256 and 512. */
        private static int promptGraphs(int tokens) {
            int[][] ranges = {{4, 32, 4}, {48, 256, 16}, {288, 512, 32}, {576, 1024, 64}, {1280, 4096, 256}};
            int count = Math.max(0, (tokens - 4096) / 512);
            for (int[] range : ranges) {
                count += Math.max(0, (Math.min(tokens, range[1]) - range[0]) / range[2] + 1);
            }
            return count;
        }
    }
}
