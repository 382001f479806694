package dev.stagesim.sim.serving.policy;

/** Hears of tokens and endings as a step is processed. */
public interface Outputs {
    /** A request got {@code tokens} more output tokens; its status says whether it ended. */
    void output(LiveRequest request, int tokens);
}
