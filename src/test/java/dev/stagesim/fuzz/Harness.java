package dev.stagesim.fuzz;

/** A part of the product that reads what others wrote. */
@FunctionalInterface
public interface Harness {
    /**
     * Reads {@code input} as the product would. Wrong input ends in an error of kind {@code INPUT}; anything else that is
     * thrown is a finding, and so is an assertion of the harness that does not hold.
     */
    void read(byte[] input) throws Exception;
}
