package dev.stagesim.config.compose;

import dev.stagesim.config.compose.typed.Typing;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Merges trees. Maps are merged key by key; any other value is replaced. A new leaf keeps a link to the replaced value.
 *
 * <p>The marker {@code ???} never replaces a value. A map never replaces a list, nor a list a map: both are errors.
 */
final class Merger {
    /** Decides whether a key that the target lacks may be added. */
    interface NewKeys {
        NewKeys ANY = (path, key, value) -> {};

        /** Throws if {@code key} must not be added to the map at {@code path}. */
        void check(List<String> path, String key, Node value);
    }

    private final Typing typing;
    private final NewKeys newKeys;
    private final boolean files;

    private Merger(Typing typing, NewKeys newKeys, boolean files) {
        this.typing = typing;
        this.newKeys = newKeys;
        this.files = files;
    }

    /** Creates a merger for override values. */
    Merger(Typing typing, NewKeys newKeys) {
        this(typing, newKeys, false);
    }

    /** Creates a merger for files. */
    static Merger ofFiles(Typing typing) {
        return new Merger(typing, typing::checkKey, true);
    }

    /** Returns {@code source} merged into {@code target}, the node at {@code path}. */
    Node merge(List<String> path, @Nullable Node target, Node source) {
        if (source instanceof MapNode map) {
            if (target instanceof ListNode || (isNull(target) && typing.isList(path))) {
                throw kinds(path, "a map", "a list", source);
            }
            return map(path, target instanceof MapNode before ? before : null, map);
        }
        if (files && source instanceof ListNode) {
            typing.checkList(path, source);
        }
        if (source instanceof ListNode && (target instanceof MapNode || (isNull(target) && typing.isMap(path)))) {
            throw kinds(path, "a list", "a map", source);
        }
        if (source instanceof ScalarNode leaf) {
            if (leaf.isMissing() && target != null) {
                return target;
            }
            Node converted = typing.convert(path, leaf);
            return converted instanceof ScalarNode value && target != null ? value.replacing(target) : converted;
        }
        return typing.convert(path, source);
    }

    private static boolean isNull(@Nullable Node node) {
        return node instanceof ScalarNode leaf && leaf.isNull();
    }

    private Node map(List<String> path, @Nullable MapNode target, MapNode source) {
        if (target == null && typing.at(path) != null) {
            return typing.convert(path, source);
        }
        MapNode before = target == null ? Paths.emptyMap(source.origin()) : target;
        if (source.isEmpty()) {
            return before;
        }
        Map<String, Node> merged = new LinkedHashMap<>(before.entries());
        source.entries().forEach((key, value) -> {
            Node old = before.get(key);
            if (old == null) {
                newKeys.check(path, key, value);
            }
            merged.put(key, merge(Paths.child(path, key), old, value));
        });
        return MapNode.of(merged, before.origin());
    }

    private static StageException kinds(List<String> path, String source, String target, Node where) {
        String name = Paths.dotted(path);
        Problem problem = Errors.problem(
                        path.isEmpty() ? "the root" : name, "cannot merge " + source + " with " + target)
                .from(where.origin().describe());
        return StageException.input(
                path.isEmpty() || !target.equals("a map")
                        ? problem
                        : problem.hint(name + " has entries with names: '~" + name + ".NAME' removes one, +GROUP@"
                                + name + ".NAME=OPTION adds an option of a group, ++" + name
                                + ".NAME.KEY=VALUE sets a key"));
    }
}
