package dev.stagesim.sim.serving.policy;

/**
 * Settings of vLLM's V1 scheduler, in its own words where it has them.
 *
 * @param maxModelLen most tokens of a sequence
 * @param maxNumSeqs most requests that run at a time
 * @param maxNumBatchedTokens input positions of a step
 * @param maxNumScheduledTokens tokens that a step hands out
 * @param longPrefillTokenThreshold most tokens of one request in a step, 0 for no such bound
 * @param chunkedPrefill whether a prompt can be admitted in parts
 * @param byPriority whether priorities decide, not arrival alone
 * @param watermark share of the blocks that admission leaves free
 * @param reserveFullSequence whether the whole prompt must fit at admission
 * @param asyncScheduling whether a step is planned before the result of the last one is known
 * @param pipelineStages pipeline stages
 * @param modelRunner generation of vLLM's model runner, 1 or 2
 * @param maxLoras most adapters in a step, 0 for no bound
 * @param encoderTokens embedding tokens that encoders make in a step, and that are kept
 * @param speculation drafts
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
    /** Batches that can be between planning and processing. */
    public int batchesInFlight() {
        if (!asyncScheduling) {
            return pipelineStages;
        }
        if (modelRunner == 2) {
            return pipelineStages + 1;
        }
        return pipelineStages == 1 ? 2 : pipelineStages;
    }

    /** Steps from one decode of a request to its next. */
    int stepsApart() {
        return asyncScheduling() && modelRunner() != 2 ? 1 : pipelineStages;
    }

    /** Most tokens between planning and processing. */
    public long tokensInFlight() {
        return (long) batchesInFlight() * maxNumBatchedTokens;
    }
}
