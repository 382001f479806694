package dev.stagesim.sim.serving.policy;

/** Receives the tokens and completions of a processed step. */
public interface OutputListener {
    /** A request got {@code tokens} output tokens; its status shows whether it has ended. */
    void output(LiveRequest request, int tokens);
}
