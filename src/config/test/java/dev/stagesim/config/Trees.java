package dev.stagesim.config;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.NodeJson;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.io.json.Json;
import java.util.Optional;

/** Operations on trees for tests. */
public final class Trees {
    private Trees() {}

    /** Returns a line of JSON. Equal trees give equal text, regardless of order, origins and number formats. */
    public static String canonical(Node node) {
        return Json.compact(NodeJson.json(node));
    }

    /** Returns the part of {@code tree} at a dotted path, or empty if absent. */
    public static Optional<Node> find(MapNode tree, String path) {
        return Optional.ofNullable(Paths.get(tree, Paths.split(path)));
    }
}
