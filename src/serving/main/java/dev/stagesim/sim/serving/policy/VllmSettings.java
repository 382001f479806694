package dev.stagesim.sim.serving.policy;

/**
 * The settings of vLLM's V1 scheduler, with its own names if it has them.
 *
 * @param maxModelLen maximum tokens of a sequence
 * @param maxNumSeqs maximum number of running requests
 * @param maxNumBatchedTokens input positions of a step
 * @param maxNumScheduledTokens maximum scheduled tokens of a step
 * @param longPrefillTokenThreshold maximum tokens of one request in a step, or 0 for no limit
 * @param chunkedPrefill whether a prompt can be computed in chunks
 * @param byPriority whether priorities precede arrival in the order of requests
 * @param watermark share of the blocks that new requests must leave free
 * @param reserveFullSequence whether the whole prompt must fit at admission
 * @param asyncScheduling whether a step is planned before the result of the last one is available
 * @param pipelineStages pipeline stages
 * @param modelRunner generation of vLLM's model runner, 1 or 2
 * @param maxLoras maximum adapters in a step, or 0 for no limit
 * @param encoderTokens maximum embedding tokens that encoders compute in a step, and size of their cache
 * @param speculation speculative decoding
 */
public record VllmSettings(
        int maxModelLen,
        int maxNumSeqs,
        int maxNumBatchedTokens,
        int maxNumScheduledTokens,
        int longPrefillTokenThreshold,
        boolean chunkedPrefill,
        boolean byPriority,
        double watermark,
        boolean reserveFullSequence,
        boolean asyncScheduling,
        int pipelineStages,
        int modelRunner,
        int maxLoras,
        int encoderTokens,
        Speculation speculation) {
    /** Returns the maximum number of batches between planning and processing. */
    public int batchesInFlight() {
        if (!asyncScheduling) {
            return pipelineStages;
        }
        if (modelRunner == 2) {
            return pipelineStages + 1;
        }
        return pipelineStages == 1 ? 2 : pipelineStages;
    }

    /** Returns the distance in steps between two decodes of a request. */
    int stepDistance() {
        return asyncScheduling() && modelRunner() != 2 ? 1 : pipelineStages;
    }

    /** Returns the maximum tokens between planning and processing. */
    public long tokensInFlight() {
        return (long) batchesInFlight() * maxNumBatchedTokens;
    }
}
