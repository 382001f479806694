package dev.stagesim.config.tree;

import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** A value of the configuration tree: immutable, ordered, and aware of where it was written. */
public sealed interface Node permits MapNode, ListNode, ScalarNode {
    /** Where this value was written; for maps, where the map first appeared. */
    Origin origin();

    /** All on one line: lists in brackets and maps in braces, with a blank after each comma and colon. */
    default String inline(Function<ScalarNode, String> scalar, UnaryOperator<String> key) {
        if (this instanceof ScalarNode leaf) {
            return scalar.apply(leaf);
        }
        if (this instanceof ListNode list) {
            return list.items().stream()
                    .map(item -> item.inline(scalar, key))
                    .collect(Collectors.joining(", ", "[", "]"));
        }
        return ((MapNode) this)
                .entries().entrySet().stream()
                        .map(entry -> key.apply(entry.getKey()) + ": "
                                + entry.getValue().inline(scalar, key))
                        .collect(Collectors.joining(", ", "{", "}"));
    }
}
