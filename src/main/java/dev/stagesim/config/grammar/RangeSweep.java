package dev.stagesim.config.grammar;

import java.util.Set;

/**
 * A sweep over evenly spaced numbers.
 *
 * @param start first number
 * @param stop end, exclusive
 * @param step distance, may be negative
 * @param tags labels
 * @param shuffle true when the order is to be drawn at random
 */
public record RangeSweep(Scalar start, Scalar stop, Scalar step, Set<String> tags, boolean shuffle) implements Sweep {
    public RangeSweep {
        tags = Labels.copy(tags);
    }
}
