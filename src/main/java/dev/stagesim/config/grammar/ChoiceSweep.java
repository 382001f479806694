package dev.stagesim.config.grammar;

import java.util.List;
import java.util.Set;

/**
 * A sweep over listed values.
 *
 * @param items the values in order
 * @param simple true when written {@code a,b}, false for {@code choice(a,b)}
 * @param tags labels
 * @param shuffle true when the order is to be drawn at random
 */
public record ChoiceSweep(List<Value> items, boolean simple, Set<String> tags, boolean shuffle) implements Sweep {
    public ChoiceSweep {
        items = List.copyOf(items);
        tags = Labels.copy(tags);
    }

    /** A plain choice of {@code items}. */
    public static ChoiceSweep of(List<Value> items, boolean simple) {
        return new ChoiceSweep(items, simple, Set.of(), false);
    }
}
