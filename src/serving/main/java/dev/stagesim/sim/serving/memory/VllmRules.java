package dev.stagesim.sim.serving.memory;

import dev.stagesim.model.NamedConstant;

/**
 * The differences between two versions of vLLM's V1 scheduler, one method per difference. A version in parentheses is the
 * one that introduced the difference.
 */
public enum VllmRules implements NamedConstant {
    /** vLLM 0.28.0, of August 2026. */
    V0_28("0.28"),
    /** vLLM 0.33.0, of November 2026. */
    V0_33("0.33");

    /** The rules of the newest version. */
    public static final VllmRules NEWEST = V0_33;

    private final String id;

    VllmRules(String id) {
        this.id = id;
    }

    @Override
    public String id() {
        return id;
    }

    private boolean isNew() {
        return this == V0_33;
    }

    /** The key of a block also covers the tokens after it that the draft model reads, so no hit loses its last block (0.33). */
    public boolean keysCoverNextTokens() {
        return isNew();
    }

    /** DFlash and DSpark drafts, which read only hidden states of the target, keep the last block of a hit (0.33). */
    public boolean onlyNextTokenReadersDropHits() {
        return isNew();
    }

    /** Blocks get their keys when the result of a step with drafts or placeholders is processed, up to settled tokens (0.33). */
    public boolean keysSettledTokens() {
        return isNew();
    }

    /** Tokens that a stop cuts off do not count as computed (0.33). */
    public boolean subtractsCutTokens() {
        return isNew();
    }

    /** Sparse retention keeps the states at which a repeated and an extended prompt resume (parts since 0.29). */
    boolean keepsReplayBoundaries() {
        return isNew();
    }

    /** A hit ends at the same token in all kinds of layers, even if two kinds have full attention. */
    boolean truncatesAllKinds() {
        return isNew();
    }

    /** Waiting requests that hold blocks have their own queue; all others stay in the queue of waiting requests (0.31). */
    public boolean hasHolderQueue() {
        return isNew();
    }

    /** The long-prefill threshold does not apply if there is only one request (0.31). */
    public boolean exemptsSingleRequest() {
        return isNew();
    }

    /** End tokens, stop tokens and the maximum length end a request before its minimum length (0.29). */
    public boolean stopsBeforeMinimum() {
        return isNew();
    }

    /** Drafts of DFlash and DSpark need no additional input positions (0.33). */
    public boolean sparesParallelDraftSlots() {
        return isNew();
    }

    /** An admitted request with computed tokens is padded to the drafts of a step also in an empty batch (0.30). */
    public boolean padsAfterHits() {
        return isNew();
    }

    /** An asynchronous load leaves blocks for one speculative step and for all prefills in flight (0.31). */
    public boolean reservesSpeculativeStep() {
        return isNew();
    }

    /** A request whose blocks cannot be freed immediately is not preempted (0.30). */
    public boolean preemptsOnlyFreeable() {
        return isNew();
    }

    /** With priorities, the step continues with the next running request after one preempted itself (0.33). */
    public boolean continuesAfterSelfPreemption() {
        return isNew();
    }

    /** Mamba states are cached at the last position that leaves a token to compute, and retired in order (parts since 0.29). */
    public boolean leavesTokenAfterState() {
        return isNew();
    }

    /** An engine that runs alone waits a number of steps between prefills, too (0.33). */
    public boolean pacesLoneEngines() {
        return isNew();
    }

    /** The number of steps between two exchanges of state of data-parallel engines (16 since 0.30). */
    public int stepsPerDataParallelSync() {
        return isNew() ? 16 : 32;
    }

    /** Data-parallel engines exchange their state after a number of steps of a wave, since 0.30 also after the first. */
    public boolean syncsInStep(long step) {
        return step > 0 && (step % stepsPerDataParallelSync() == 0 || (isNew() && step == 1));
    }

    /** Nothing is drafted if no request of a step can use drafts (0.33, second model runner). */
    public boolean skipsUselessDrafts() {
        return isNew();
    }

    /** Cascade attention uses the blocks that all running requests share (until 0.32). */
    public boolean sharesCommonPrefix() {
        return !isNew();
    }

    /** A request that does not read the cache gets no tokens from the connector (0.31). */
    public boolean skipsConnectorToo() {
        return isNew();
    }

    /** Adapters of all running requests count, including those without tokens in the step. */
    public boolean countsAllAdapters() {
        return isNew();
    }

    /** Requests that cannot be scheduled because of their media or draft modules do not stop the admission of others. */
    public boolean passesOverBlockedPrefills() {
        return isNew();
    }
}
