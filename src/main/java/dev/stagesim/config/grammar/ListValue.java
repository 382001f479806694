package dev.stagesim.config.grammar;

import java.util.List;

/** A list of values. */
public record ListValue(List<Value> items) implements Value {
    public ListValue {
        items = List.copyOf(items);
    }
}
