package dev.stagesim.config.tree;

import java.util.List;

/** A list of nodes. */
public record ListNode(List<Node> items, Origin origin) implements Node {
    public ListNode {
        items = List.copyOf(items);
    }
}
