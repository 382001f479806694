package dev.stagesim.settings;

/** What happens to a request whose prompt and output together exceed the cap. */
public enum Overlong {
    /** The prompt loses the excess, down to one token; what is still over comes off the output. */
    TRIM_PROMPT,
    /** Prompt and output lose the excess in proportion to their lengths; each keeps at least one token. */
    PROPORTIONAL,
    /** The request is left out. */
    DROP,
    /** The request is an error. */
    ERROR
}
