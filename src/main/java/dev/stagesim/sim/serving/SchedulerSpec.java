package dev.stagesim.sim.serving;

/** The scheduler inside a replica; one record for each policy. */
public sealed interface SchedulerSpec {
    /** What all policies share. */
    Limits limits();

    /** Whether requests are restarted to make room for others. */
    default boolean preempts() {
        return this instanceof Vllm || this instanceof Sarathi;
    }

    /** Whether a request holds memory for the longest sequence from the start. */
    default boolean reservesSequences() {
        return this instanceof Orca || this instanceof FasterTransformer;
    }

    /**
     * Limits of batches and KV blocks.
     *
     * @param batchSizeCap most requests that hold memory, and with one stage most in a batch
     * @param blockSize tokens of a KV block
     * @param watermark fraction of the blocks that new requests must leave free
     * @param numBlocks KV blocks of a replica; 0 lets the memory planner say
     */
    record Limits(int batchSizeCap, int blockSize, double watermark, long numBlocks) {}

    /** Whole prompts first, then decodes; recompute preemption. */
    record Vllm(Limits limits, int maxTokensInBatch) implements SchedulerSpec {}

    /** Decodes first, the rest of a token budget goes to chunks of prompts. */
    record Sarathi(Limits limits, int chunkSize) implements SchedulerSpec {}

    /** Iteration-level scheduling with memory reserved for the longest sequence. */
    record Orca(Limits limits) implements SchedulerSpec {}

    /** Static batches that run until their last request is done. */
    record FasterTransformer(Limits limits) implements SchedulerSpec {}

    /** Token-granular memory with admission by peak-memory forecast. */
    record LightLlm(Limits limits, int maxTokensInBatch, int maxWaitingIters) implements SchedulerSpec {}
}
