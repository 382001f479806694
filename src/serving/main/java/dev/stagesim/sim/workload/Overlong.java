package dev.stagesim.sim.workload;

/** Treatment of a request whose prompt and output together exceed the limit. */
public enum Overlong {
    TRIM_PROMPT, // Removes the excess from the prompt, down to one token, and any remainder from the output.
    PROPORTIONAL, // Shortens prompt and output in proportion to their lengths; each keeps at least one token.
    DROP, // Omits the request.
    ERROR // Reports an error.
}
