package dev.stagesim.config.bind;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;

/** Formats nodes for messages. */
final class ValueFormatter {
    private static final int MAX_LENGTH = 60;

    private ValueFormatter() {}

    /**
     * Returns the value with its type: {@code string "abc"}, {@code 5.5}, {@code null}, {@code a list}, {@code a
     * section}.
     */
    static String withType(Node node) {
        if (node instanceof ScalarNode scalar) {
            return scalar.kind() == ScalarNode.Kind.STRING
                    ? "string \"" + shorten(scalar.text()) + "\""
                    : scalar.text();
        }
        return node instanceof ListNode list ? "a list of " + list.items().size() : "a section";
    }

    /** Returns the value and its origin: {@code 1.0   (conf/a.conf:3)}. */
    static String withOrigin(Node node) {
        String text = node instanceof ScalarNode scalar ? shorten(scalar.text()) : summary(node);
        return text + "   (" + node.origin().describe() + ")";
    }

    private static String summary(Node node) {
        return node instanceof MapNode map ? "a section with " + String.join(", ", map.keys()) : withType(node);
    }

    private static String shorten(String text) {
        return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "...";
    }
}
