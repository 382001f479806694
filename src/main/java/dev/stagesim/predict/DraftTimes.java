package dev.stagesim.predict;

/** Time that speculative decoding adds to a step: making the drafts of the next step, and checking those of this one. */
@FunctionalInterface
public interface DraftTimes {
    /**
     * Returns the added milliseconds of a step.
     *
     * @param tokens tokens of the step, drafts included
     * @param decodes requests past their prompt
     * @param kvTokens mean context of those requests, rounded up to the granularity of times
     * @param prefills chunks of prompts
     */
    double milliseconds(int tokens, int decodes, int kvTokens, int prefills);
}
