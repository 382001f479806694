package dev.stagesim.sim.serving.policy;

/** The remaining budget while a step is planned. */
final class StepBudget {
    final int draftSlots;
    int tokens;
    int inputs;
    /** Whether prefills are deferred. */
    boolean defers;
    /** Whether a running request in the batch has prompt left. */
    boolean hasPrompt;
    /** Maximum tokens of one request, or 0 for no limit. */
    int longPrefill;
    /** Position in the running list. */
    int index;

    StepBudget(int tokens, int inputs, int draftSlots) {
        this.tokens = tokens;
        this.inputs = inputs;
        this.draftSlots = draftSlots;
    }

    /** Returns the maximum tokens for one request. */
    int room() {
        return Math.min(tokens, inputs - draftSlots);
    }

    /** Returns {@code tokens}, limited by the long-prefill threshold. */
    int capped(int tokens) {
        return longPrefill > 0 ? Math.min(tokens, longPrefill) : tokens;
    }
}
