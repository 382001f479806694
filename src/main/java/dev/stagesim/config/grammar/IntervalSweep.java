package dev.stagesim.config.grammar;

import java.util.Set;

/**
 * A continuous range for optimising sweepers; it has no list of values.
 *
 * @param start lower end: a float, or an integer after {@code int(interval(..))}
 * @param end upper end
 * @param tags labels
 */
public record IntervalSweep(Scalar start, Scalar end, Set<String> tags) implements Sweep {
    public IntervalSweep {
        tags = Labels.copy(tags);
    }
}
