package dev.stagesim.predict;

/**
 * Converts the time of a step's operators to the time of the step: adds output head, sampler, gaps, launches and
 * control.
 */
@FunctionalInterface
public interface WholeStep {
    /**
     * Milliseconds of a step.
     *
     * @param operatorsMs time of the operators of all its layers
     * @param tokens tokens processed
     * @param decodes sequences that get one more token
     * @param prefills prompt chunks
     */
    double milliseconds(double operatorsMs, int tokens, int decodes, int prefills);
}
