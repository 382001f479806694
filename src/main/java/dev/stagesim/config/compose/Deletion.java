package dev.stagesim.config.compose;

import dev.stagesim.config.compose.typed.Typing;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.Value;
import dev.stagesim.config.grammar.ValueNodes;
import dev.stagesim.config.interp.Interpolator;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Applies {@code ~key} and {@code ~key=value}. */
final class Deletion {
    private final boolean strict;
    private final Typing typing;

    Deletion(boolean strict, Typing typing) {
        this.strict = strict;
        this.typing = typing;
    }

    MapNode apply(MapNode tree, ConfigOverride override) {
        List<String> path = override.path();
        Node existing = Paths.get(tree, path);
        if (strict && existing instanceof ScalarNode leaf && leaf.isInterpolation()) {
            // Hydra looks at the value before it deletes it, so one that cannot be had stays
            ResolverContext context =
                    new ResolverContext(System.getenv(), Instant.EPOCH.atZone(ZoneOffset.UTC), MapNode.empty());
            existing = Interpolator.of(tree, Resolvers.standard(context), Dialect.HYDRA)
                    .value(override.key());
        }
        if (existing == null || (strict && isUnset(existing))) {
            throw absent(tree, override);
        }
        Optional<Node> wanted = override.value()
                .filter(value -> !strict || !(value instanceof Value.Null))
                .map(value -> ValueNodes.toNode(value, override.origin()));
        if (wanted.isPresent() && !ValueText.same(existing, wanted.get())) {
            if (!strict && existing instanceof ListNode list) {
                return (MapNode) replaced(tree, path, without(list, wanted.get(), override));
            }
            throw StageException.input(Errors.problem(
                            override.key(),
                            "could not delete from the config: the value of '" + override.key() + "' is "
                                    + ValueText.shown(existing) + " and not " + ValueText.shown(wanted.get()))
                    .from(override.origin().describe())
                    .note("was", existing.origin().describe()));
        }
        List<String> parent = path.subList(0, path.size() - 1);
        if (!parent.isEmpty() && typing.isStruct(parent)) {
            throw Errors.at(override.origin(), "keys of a typed config cannot be deleted");
        }
        Node container = Objects.requireNonNull(Paths.get(tree, parent));
        String last = path.get(path.size() - 1);
        if (container instanceof ListNode list) {
            if (strict) {
                throw Errors.at(override.origin(), "elements of a list cannot be deleted");
            }
            List<Node> items = new ArrayList<>(list.items());
            items.remove(Paths.index(list, last));
            return (MapNode) replaced(tree, parent, new ListNode(items, list.origin()));
        }
        return (MapNode) replaced(tree, parent, ((MapNode) container).without(last));
    }

    private static boolean isUnset(Node node) {
        return node instanceof ScalarNode leaf && (leaf.isNull() || leaf.isMissing());
    }

    private static ListNode without(ListNode list, Node value, ConfigOverride override) {
        List<Node> rest = list.items().stream()
                .filter(item -> !ValueText.same(item, value))
                .toList();
        if (rest.size() == list.items().size()) {
            throw Errors.at(
                    override.origin(),
                    "'" + override.key() + "' has no element " + ValueText.shown(value) + ", only "
                            + ValueText.shown(list));
        }
        return new ListNode(rest, list.origin());
    }

    private static Node replaced(Node node, List<String> path, Node value) {
        if (path.isEmpty()) {
            return value;
        }
        String key = path.get(0);
        List<String> rest = path.subList(1, path.size());
        if (node instanceof ListNode list) {
            int index = Paths.index(list, key);
            return Paths.with(list, index, replaced(list.items().get(index), rest, value));
        }
        MapNode map = (MapNode) node;
        return map.with(key, replaced(Objects.requireNonNull(map.get(key)), rest, value));
    }

    private static StageException absent(MapNode tree, ConfigOverride override) {
        List<String> path = override.path();
        Node parent = Paths.get(tree, path.subList(0, path.size() - 1));
        List<String> near = List.of();
        if (parent instanceof MapNode map) {
            String prefix = path.size() == 1 ? "" : Paths.dotted(path.subList(0, path.size() - 1)) + ".";
            near = Suggest.near(path.get(path.size() - 1), map.keys()).stream()
                    .map(name -> prefix + name)
                    .filter(name -> !name.equals(override.key()))
                    .toList();
        }
        return StageException.input(Errors.problem(
                        override.key(), "could not delete from the config: '" + override.key() + "' does not exist")
                .from(override.origin().describe())
                .didYouMean(near));
    }
}
