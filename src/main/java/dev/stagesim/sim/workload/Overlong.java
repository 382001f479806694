package dev.stagesim.sim.workload;

/** What happens to a request whose prompt and output together exceed the cap. */
public enum Overlong {
    TRIM_PROMPT, // The prompt loses the excess, down to one token; what is still over comes off the output.
    PROPORTIONAL, // Prompt and output lose the excess in proportion to their lengths; each keeps at least one token.
    DROP, // The request is left out.
    ERROR // The request is an error, which its reader reports.
}
