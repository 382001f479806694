package dev.stagesim.sim.serving.policy;

/** What is left to hand out while a step is planned. */
final class StepBudget {
    final int draftSlots;
    int tokens;
    int inputs;
    /** Whether prompt work is put off. */
    boolean defers;
    /** Whether a running request in the batch has prompt left. */
    boolean hasPrompt;
    /** Place in the running list. */
    int index;

    StepBudget(int tokens, int inputs, int draftSlots) {
        this.tokens = tokens;
        this.inputs = inputs;
        this.draftSlots = draftSlots;
    }

    /** Most tokens that one request can get. */
    int room() {
        return Math.min(tokens, inputs - draftSlots);
    }
}
