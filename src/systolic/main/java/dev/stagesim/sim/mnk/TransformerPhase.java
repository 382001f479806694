package dev.stagesim.sim.mnk;

/** The phase of a transformer run. */
public enum TransformerPhase {
    /** All passes over whole sequences. */
    TRAINING,
    /** The forward pass over whole prompts; the head processes the last token of each. */
    PREFILL,
    /** The forward pass over one new token of each sequence. */
    DECODE;

    /** Returns true if gradients are computed. */
    public boolean isTraining() {
        return this == TRAINING;
    }
}
