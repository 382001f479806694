package dev.stagesim.config.compose;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import java.util.Optional;

/** Finds parts of composed trees. */
public final class Trees {
    private Trees() {}

    /** The part of {@code tree} at a dotted path, numbers selecting list elements; empty when there is none. */
    public static Optional<Node> find(MapNode tree, String path) {
        return Optional.ofNullable(Paths.get(tree, Paths.split(path)));
    }
}
