package dev.stagesim.fuzz;

/** A part of the product that reads external input. */
@FunctionalInterface
public interface Harness {
    /**
     * Reads {@code input} like the product. Invalid input causes an error of kind {@code INPUT}. Any other exception is a finding, and
     * so is a failed assertion of the harness.
     */
    void read(byte[] input) throws Exception;
}
