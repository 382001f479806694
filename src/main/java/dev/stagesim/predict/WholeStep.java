package dev.stagesim.predict;

/** What an engine makes of the time that the operators of a step take: output head, sampler, gaps, launches, control. */
@FunctionalInterface
public interface WholeStep {
    /**
     * Milliseconds of a step.
     *
     * @param operatorsMs time of the operators of all its layers
     * @param tokens tokens that are processed
     * @param decodes sequences that get one more token
     * @param prefills chunks of prompts
     */
    double milliseconds(double operatorsMs, int tokens, int decodes, int prefills);
}
