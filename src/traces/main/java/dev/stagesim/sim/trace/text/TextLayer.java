package dev.stagesim.sim.trace.text;

import java.math.BigInteger;
import java.util.Optional;

/**
 * One row of a workload text.
 *
 * @param line line number in the file, from 1
 * @param forward forward pass
 * @param inputGradient gradient of the layer's input
 * @param weightGradient gradient of the layer's weights
 * @param parallelism the layer's own parallelism, from column 13
 */
record TextLayer(
        int line, String name, Step forward, Step inputGradient, Step weightGradient, Optional<String> parallelism) {
    /** Type that denotes no communication. */
    static final String NONE = "NONE";

    /**
     * A computation and the collective after it.
     *
     * @param time compute time in the unit of the file
     * @param type name of the collective
     * @param size size of the collective in bytes
     */
    record Step(BigInteger time, String type, BigInteger size) {
        Step faster(int divisor) {
            BigInteger[] parts = time.divideAndRemainder(BigInteger.valueOf(divisor));
            return new Step(parts[1].signum() > 0 ? parts[0].add(BigInteger.ONE) : parts[0], type, size);
        }
    }
}
