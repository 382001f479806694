package dev.stagesim.sim.serving.cluster;

import java.util.List;

/**
 * Settings of an instance as BLIS has them; times are microseconds.
 *
 * @param stepTime b0, b1, b2, b3: a step takes b0 + b1 x prompt tokens + b2 x decoding requests + b3 x their tokens / 1024
 * @param queueTime a0, a1, a2: a request is queued a0 + a1 x prompt tokens after it arrived; a2 is added to every token
 * @param cpuTokensPerUs rate at which blocks come back from the CPU tier
 * @param longPrefill most prompt tokens of a request in a step; 0 for no limit
 * @param longest longest sequence; 0 for no limit
 */
public record BlisEngine(
        long[] stepTime,
        long[] queueTime,
        int blocks,
        int blockSize,
        int cpuBlocks,
        double cpuTokensPerUs,
        long cpuBaseUs,
        int maxSequences,
        int maxTokens,
        int longPrefill,
        int longest,
        Order order,
        boolean preemptsLeastUrgent,
        Adapters adapters) {
    /** Order of the waiting queue. */
    public enum Order {
        FCFS,
        PRIORITY_FCFS,
        SJF,
        REVERSE_PRIORITY
    }

    /**
     * Adapters that an instance can load.
     *
     * @param slots adapters that it holds at once; 0 when adapters are not modelled
     */
    public record Adapters(int slots, double baseUs, double bytesPerUs, double bytesPerRank, List<Adapter> all) {
        long loadTime(String id) {
            double load = all.stream()
                    .filter(adapter -> adapter.id().equals(id))
                    .mapToDouble(adapter -> baseUs + Math.ceil(bytesPerRank * adapter.rank() / bytesPerUs))
                    .findFirst()
                    .orElse(0);
            return Math.max(1, (long) Math.ceil(load));
        }
    }

    /** An adapter and its rank. */
    public record Adapter(String id, int rank) {}

    long duration(long promptTokens, long decoding, long decodingTokens) {
        long time =
                stepTime[0] + stepTime[1] * promptTokens + stepTime[2] * decoding + stepTime[3] * decodingTokens / 1024;
        return Math.max(1, time);
    }

    long queueing(int promptTokens) {
        return queueTime[0] + queueTime[1] * promptTokens;
    }
}
