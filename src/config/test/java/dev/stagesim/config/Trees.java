package dev.stagesim.config;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.NodeJson;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.io.json.Json;
import java.util.Optional;

/** Trees as tests look at them. */
public final class Trees {
    private Trees() {}

    /** One line of JSON: equal trees give equal text whatever their order, their origins and their numbers' spelling. */
    public static String canonical(Node node) {
        return Json.compact(NodeJson.json(node));
    }

    /** The part of {@code tree} at a dotted path; empty when there is none. */
    public static Optional<Node> find(MapNode tree, String path) {
        return Optional.ofNullable(Paths.get(tree, Paths.split(path)));
    }
}
