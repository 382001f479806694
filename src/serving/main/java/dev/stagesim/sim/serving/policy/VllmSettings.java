package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvLayout;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.settings.Speculation;
import java.util.List;

/**
 * Settings of vLLM's V1 scheduler. Options of vLLM keep their names.
 *
 * @param maxNumSeqs maximum number of running requests
 * @param tokens limits of a step
 * @param pacing limits of prefills and of running requests
 * @param chunkedPrefill whether a prompt can be computed in chunks
 * @param byPriority whether priorities precede arrival in the order of requests
 * @param watermark share of the blocks that new requests must leave free
 * @param reserveFullSequence whether the whole prompt must fit at admission
 * @param asyncScheduling whether a step is planned before the result of the last one is available
 * @param pipelineStages pipeline stages
 * @param maxLoras maximum adapters in a step, or 0 for no limit
 * @param speculation speculative decoding
 * @param version version of the engine
 */
public record VllmSettings(
        int maxNumSeqs,
        StepTokens tokens,
        Pacing pacing,
        boolean chunkedPrefill,
        boolean byPriority,
        double watermark,
        boolean reserveFullSequence,
        boolean asyncScheduling,
        int pipelineStages,
        int maxLoras,
        Speculation speculation,
        Version version) {
    /**
     * The limits of a step in tokens.
     *
     * @param batched input positions
     * @param scheduled maximum scheduled tokens
     * @param encoder maximum embedding tokens that encoders compute, and size of their cache
     */
    public record StepTokens(int batched, int scheduled, int encoder) {
        /** Returns equal limits, vLLM's default. */
        public static StepTokens of(int tokens) {
            return new StepTokens(tokens, tokens, tokens);
        }
    }

    /**
     * The limits of prefills and of running requests.
     *
     * @param longPrefillThreshold maximum tokens of one request in a step, or 0 for no limit
     * @param isThresholdAdaptive whether this maximum is at least the fair share of the budget
     * @param maxActiveSeqs maximum number of running requests if it is less than {@code maxNumSeqs}
     * @param prefillInterval steps from one step with a prefill to the next, while requests decode; 1 for no limit
     */
    public record Pacing(
            int longPrefillThreshold, boolean isThresholdAdaptive, int maxActiveSeqs, int prefillInterval) {
        /** No limits. */
        public static final Pacing NONE = ofLongPrefills(0);

        /** Returns pacing by the long-prefill threshold alone. */
        public static Pacing ofLongPrefills(int threshold) {
            return new Pacing(threshold, false, Integer.MAX_VALUE, 1);
        }
    }

    /**
     * The version of the engine.
     *
     * @param modelRunner generation of its model runner, 1 or 2
     */
    public record Version(VllmRules rules, int modelRunner) {
        /** The newest version with its default model runner. */
        public static final Version NEWEST = new Version(VllmRules.NEWEST, 2);
    }

    /** Returns the rules of the engine's version. */
    public VllmRules rules() {
        return version.rules();
    }

    int modelRunner() {
        return version.modelRunner();
    }

    /** Returns the maximum number of running requests. */
    public int maxRunning() {
        return Math.min(maxNumSeqs, pacing.maxActiveSeqs());
    }

    /** Returns true if a draft model with its own pass drafts nothing in steps without a use for drafts. */
    boolean canSkipDrafts() {
        return rules().skipsUselessDrafts() && speculation.lookahead() > 0 && modelRunner() == 2;
    }

    /**
     * Returns the layout of a cache without sparse retention.
     *
     * @param hasConnector whether a store outside the engine exchanges blocks, by keys that cover only the tokens of a
     *     block
     */
    public KvLayout layout(List<KvGroup> groups, int blocks, boolean caches, int maxModelLen, boolean hasConnector) {
        return layout(groups, blocks, caches, maxModelLen, hasConnector, 0, KvLayout.DENSE);
    }

    /**
     * Returns the layout of the cache.
     *
     * @param matchUnit tokens of the smallest unit of a match, or 0 for the GCD of the block sizes
     * @param retention distance of the cached boundaries in tokens, see {@link KvLayout}
     */
    public KvLayout layout(
            List<KvGroup> groups,
            int blocks,
            boolean caches,
            int maxModelLen,
            boolean hasConnector,
            int matchUnit,
            int retention) {
        boolean drops =
                rules().onlyNextTokenReadersDropHits() ? speculation.readsNextToken() : speculation.readsStates();
        boolean looksAhead = drops && rules().keysCoverNextTokens() && caches && !hasConnector;
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
                rules());
    }

    /** Returns the maximum number of batches between planning and processing. */
    public int batchesInFlight() {
        if (!asyncScheduling) {
            return pipelineStages;
        }
        if (modelRunner() == 2) {
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
        return (long) batchesInFlight() * tokens.batched();
    }

    /** Returns the maximum tokens of a decoding request between planning and processing, drafts included. */
    public long decodeTokensInFlight() {
        return (long) batchesInFlight() * (1 + speculation.tokensAhead());
    }
}
