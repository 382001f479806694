package dev.stagesim.config.tree;

/** A value of the configuration tree: immutable, ordered, and aware of where it was written. */
public sealed interface Node permits MapNode, ListNode, ScalarNode {
    /** Where this value was written; for maps, where the map first appeared. */
    Origin origin();
}
