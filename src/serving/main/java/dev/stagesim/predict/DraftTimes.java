package dev.stagesim.predict;

/**
 * Time that speculative decoding adds to a step: drafting for the next step, and verification of the current drafts.
 */
@FunctionalInterface
public interface DraftTimes {
    /**
     * Returns the added milliseconds of a step.
     *
     * @param tokens tokens of the step, drafts included
     * @param decodes decoding requests
     * @param kvTokens mean context of those requests, rounded up to the granularity of times
     * @param prefills prompt chunks
     * @param skipsDrafts true if no request can use new drafts, so that the draft only stores the keys and values of the tokens
     */
    double milliseconds(int tokens, int decodes, int kvTokens, int prefills, boolean skipsDrafts);
}
