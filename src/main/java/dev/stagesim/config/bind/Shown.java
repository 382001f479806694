package dev.stagesim.config.bind;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;

/** Renders nodes for messages. */
final class Shown {
    private static final int LONGEST = 60;

    private Shown() {}

    /** The value with its type: {@code string "abc"}, {@code 5.5}, {@code null}, {@code a list}, {@code a section}. */
    static String typed(Node node) {
        if (node instanceof ScalarNode scalar) {
            return scalar.kind() == ScalarNode.Kind.STRING
                    ? "string \"" + shorten(scalar.text()) + "\""
                    : scalar.text();
        }
        return node instanceof ListNode list ? "a list of " + list.items().size() : "a section";
    }

    /** The value and where it was written: {@code 1.0   (conf/a.conf:3)}. */
    static String value(Node node) {
        String text = node instanceof ScalarNode scalar ? shorten(scalar.text()) : summary(node);
        return text + "   (" + node.origin().describe() + ")";
    }

    private static String summary(Node node) {
        return node instanceof MapNode map ? "a section with " + String.join(", ", map.keys()) : typed(node);
    }

    private static String shorten(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }
}
