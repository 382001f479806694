package dev.stagesim.sim.serving.policy;

import java.util.Locale;

/**
 * What vLLM uses for the size of a batch when nothing is said.
 *
 * @param maxNumBatchedTokens most tokens of a step
 * @param maxNumSeqs most requests of a step
 */
public record BatchDefaults(int maxNumBatchedTokens, int maxNumSeqs) {
    /** What the engine runs in. */
    public enum Use {
        /** The library's class for batches of prompts. */
        OFFLINE,
        /** The OpenAI-style server. */
        SERVER,
        /** Anything else. */
        OTHER
    }

    private static final double GIB = 1L << 30;

    /** The defaults of a GPU by its name and memory. */
    public static BatchDefaults of(String device, double memoryBytes, Use use) {
        double gib = memoryBytes / GIB;
        boolean isOffline = use == Use.OFFLINE;
        if (use == Use.OTHER) {
            return new BatchDefaults(2048, 128);
        }
        if (gib >= 160) {
            return new BatchDefaults(16384, 1024);
        }
        if (gib >= 70 && !device.toLowerCase(Locale.ROOT).contains("a100")) {
            return new BatchDefaults(isOffline ? 16384 : 8192, 1024);
        }
        return new BatchDefaults(isOffline ? 8192 : 2048, 256);
    }

    /**
     * The defaults within what a sequence and a mode allow.
     *
     * @param hasBatchedAllToAll whether experts are shared over data-parallel ranks by batched all-to-all
     * @param isThroughput whether the performance mode is "throughput"
     */
    public BatchDefaults clamped(
            int maxModelLen, boolean chunkedPrefill, boolean hasBatchedAllToAll, boolean isThroughput) {
        int factor = isThroughput ? 2 : 1;
        long tokens = (hasBatchedAllToAll ? 256L : maxNumBatchedTokens) * factor;
        long seqs = (long) maxNumSeqs * factor;
        if (!chunkedPrefill) {
            tokens = Math.max(maxModelLen, tokens);
        }
        tokens = Math.min(seqs * maxModelLen, tokens);
        return new BatchDefaults((int) tokens, (int) Math.min(seqs, tokens));
    }
}
