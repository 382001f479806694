package dev.stagesim.sim.mnk;

/** What a transformer is run for. */
public enum TransformerPhase {
    /** All passes over whole sequences. */
    TRAINING,
    /** The forward pass over whole prompts; the head sees the last token of each. */
    PREFILL,
    /** The forward pass over one new token of each sequence. */
    DECODE;

    /** Whether gradients are computed. */
    public boolean isTraining() {
        return this == TRAINING;
    }
}
