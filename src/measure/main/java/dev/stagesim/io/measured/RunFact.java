package dev.stagesim.io.measured;

/** A number that a result states about the whole run. */
public enum RunFact {
    SENT_REQUESTS,
    COMPLETED_REQUESTS,
    FAILED_REQUESTS,
    /** Limit on the number of requests in flight. */
    CLIENTS,
    DEVICES,
    /** Tokens of all completed requests. */
    PROMPT_TOKENS,
    OUTPUT_TOKENS,
    /** Prompt and output tokens, if the file has only their sum. */
    TOTAL_TOKENS,
    /** Time from the first request sent to the last one completed. */
    DURATION_NS
}
