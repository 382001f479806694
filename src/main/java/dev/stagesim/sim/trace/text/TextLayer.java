package dev.stagesim.sim.trace.text;

import java.math.BigInteger;
import java.util.Optional;

/**
 * One row of a workload text.
 *
 * @param line its line in the file, from 1
 * @param forward forward pass
 * @param inputGradient gradient of the layer's input
 * @param weightGradient gradient of the layer's weights
 * @param parallelism the layer's own parallelism, the thirteenth column
 */
public record TextLayer(
        int line, String name, Step forward, Step inputGradient, Step weightGradient, Optional<String> parallelism) {
    /** Word for no communication. */
    static final String NONE = "NONE";

    /**
     * A computation and what is communicated after it.
     *
     * @param time computing time in the unit of the file
     * @param type word for the collective
     * @param size bytes of the collective
     */
    public record Step(BigInteger time, String type, BigInteger size) {
        Step faster(int divisor) {
            BigInteger[] parts = time.divideAndRemainder(BigInteger.valueOf(divisor));
            return new Step(parts[1].signum() > 0 ? parts[0].add(BigInteger.ONE) : parts[0], type, size);
        }
    }
}
