package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvLayout;
import dev.stagesim.sim.serving.memory.VllmRules;
import java.util.List;

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
 * @param rules rules of the engine's version
 * @param pacing limits that newer versions add
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
        Speculation speculation,
        VllmRules rules,
        Pacing pacing) {
    /**
     * Limits that newer versions add.
     *
     * @param maxActiveSeqs maximum number of running requests if it is less than {@code maxNumSeqs}
     * @param isThresholdAdaptive whether the long-prefill threshold is at least the fair share of the budget
     * @param prefillInterval steps from one step with a prefill to the next, while requests decode; 1 for no limit
     */
    public record Pacing(int maxActiveSeqs, boolean isThresholdAdaptive, int prefillInterval) {
        /** No limits. */
        public static final Pacing NONE = new Pacing(Integer.MAX_VALUE, false, 1);
    }

    /** Returns the maximum number of running requests. */
    public int maxRunning() {
        return Math.min(maxNumSeqs, pacing.maxActiveSeqs());
    }

    /** Returns true if a draft model with its own pass drafts nothing in steps without a use for drafts. */
    boolean canSkipDrafts() {
        return rules.skipsUselessDrafts() && speculation.lookahead() > 0 && modelRunner == 2;
    }

    /**
     * Returns the layout of the cache.
     *
     * @param matchUnit tokens of the smallest unit of a match, or 0 for the GCD of the block sizes
     * @param retention distance of the cached boundaries in tokens, see {@link KvLayout}
     * @param hasConnector whether a store outside the engine exchanges blocks, by keys that cover only the tokens of a block
     */
    public KvLayout layout(
            List<KvGroup> groups, int blocks, boolean caches, int matchUnit, int retention, boolean hasConnector) {
        boolean drops = rules.onlyNextTokenReadersDropHits() ? speculation.readsNextToken() : speculation.readsStates();
        boolean looksAhead = drops && rules.keysCoverNextTokens() && caches && !hasConnector;
        return new KvLayout(
                groups,
                blocks,
                caches,
                matchUnit,
                retention,
                maxModelLen,
                tokensInFlight(),
                drops && !looksAhead,
                speculation.draftReach(),
                looksAhead ? speculation.tokensAhead() : 0,
                rules);
    }

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
