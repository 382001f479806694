package dev.stagesim.config.tree;

import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** An immutable value of the configuration tree with its origin. */
public sealed interface Node permits MapNode, ListNode, ScalarNode {
    /** Returns the origin of this value. For a map, this is the position of its first appearance. */
    Origin origin();

    /** Formats the node on one line: lists in brackets, maps in braces, a blank after each comma and colon. */
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
