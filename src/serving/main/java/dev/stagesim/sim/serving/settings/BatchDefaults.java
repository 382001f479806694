package dev.stagesim.sim.serving.settings;

import java.util.Locale;

/**
 * vLLM's default batch sizes, by device and use ({@code EngineArgs.get_batch_defaults}).
 *
 * @param maxNumBatchedTokens maximum tokens of a step
 * @param maxNumSeqs maximum requests of a step
 */
public record BatchDefaults(int maxNumBatchedTokens, int maxNumSeqs) {
    /** The program that contains the engine. */
    public enum Use {
        /** The library class for offline batches. */
        OFFLINE,
        /** The OpenAI-style server. */
        SERVER,
        /** Any other program. */
        OTHER
    }

    private static final double GIB = 1L << 30;

    /** Returns the defaults of a GPU with this name and memory. */
    public static BatchDefaults of(String device, double memoryBytes, Use use) {
        double gib = memoryBytes / GIB;
        String name = device.toLowerCase(Locale.ROOT);
        boolean isOffline = use == Use.OFFLINE;
        if (use == Use.OTHER) {
            return new BatchDefaults(2048, 128);
        }
        if (gib >= 160) {
            return new BatchDefaults(16384, 1024);
        }
        if (gib >= 70 && !name.contains("a100") && !name.contains("gb10")) {
            return new BatchDefaults(isOffline ? 16384 : 8192, 1024);
        }
        return new BatchDefaults(isOffline ? 8192 : 2048, 256);
    }

    /**
     * Returns the defaults, limited by the maximum sequence length and the mode.
     *
     * @param hasBatchedAllToAll whether experts are distributed over data-parallel ranks by batched all-to-all
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
