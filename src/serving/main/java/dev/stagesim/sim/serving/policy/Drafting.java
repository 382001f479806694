package dev.stagesim.sim.serving.policy;

/** The number of proposed and accepted draft tokens. */
public interface Drafting {
    /** Returns the number of accepted tokens among the first {@code verified} draft tokens of a request. */
    int accepted(LiveRequest request, int verified);

    /**
     * Returns the number of draft tokens, at limit {@code limit}, after a step that extended the output to {@code output}
     * tokens.
     */
    int proposed(LiveRequest request, int output, int limit);
}
