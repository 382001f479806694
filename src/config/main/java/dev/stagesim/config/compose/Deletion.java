package dev.stagesim.config.compose;

import dev.stagesim.config.compose.typed.Typing;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.Value;
import dev.stagesim.config.grammar.ValueNodes;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Applies {@code ~key} and {@code ~key=value}. */
class Deletion {
    private final Typing typing;

    Deletion(Typing typing) {
        this.typing = typing;
    }

    final MapNode apply(MapNode tree, ConfigOverride override) {
        List<String> path = override.path();
        Node existing = existing(tree, override).orElseThrow(() -> absent(tree, override));
        Optional<Node> expectedValue =
                expectedValue(override).map(value -> ValueNodes.toNode(value, override.origin()));
        if (expectedValue.isPresent() && !isSame(existing, expectedValue.get())) {
            return (MapNode) replaced(tree, path, without(existing, expectedValue.get(), override));
        }
        List<String> parent = path.subList(0, path.size() - 1);
        if (!parent.isEmpty() && typing.isStruct(parent)) {
            throw Errors.at(override.origin(), "keys of a typed config cannot be deleted");
        }
        Node container = Objects.requireNonNull(Paths.get(tree, parent));
        String last = path.get(path.size() - 1);
        Node left = container instanceof ListNode list
                ? withoutIndex(list, last, override)
                : ((MapNode) container).without(last);
        return (MapNode) replaced(tree, parent, left);
    }

    /** Returns the node that the override deletes, or empty if it is absent. */
    Optional<Node> existing(MapNode tree, ConfigOverride override) {
        return Optional.ofNullable(Paths.get(tree, override.path()));
    }

    /** Returns the value in {@code ~key=value}. The deletion applies only to this value. */
    Optional<Value> expectedValue(ConfigOverride override) {
        return override.value();
    }

    boolean isSame(Node existing, Node value) {
        return ValueText.same(existing, value);
    }

    /** Returns a copy of the list without one element. */
    ListNode withoutIndex(ListNode list, String index, ConfigOverride override) {
        List<Node> items = new ArrayList<>(list.items());
        items.remove(Paths.index(list, index));
        return new ListNode(items, list.origin());
    }

    /**
     * Returns {@code existing} without the element {@code value}. Throws if {@code existing} is not a list with this
     * element.
     */
    Node without(Node existing, Node value, ConfigOverride override) {
        if (existing instanceof ListNode list) {
            return without(list, value, override);
        }
        throw differs(existing, value, override);
    }

    private static StageException differs(Node existing, Node value, ConfigOverride override) {
        return StageException.input(Errors.problem(
                        override.key(),
                        "could not delete from the config: the value of '" + override.key() + "' is "
                                + ValueText.shown(existing) + " and not " + ValueText.shown(value))
                .from(override.origin().describe())
                .note("was", existing.origin().describe()));
    }

    /**
     * Deletion with the rules of Hydra 1.4: {@code ~list=value} deletes the list if it has this value. A key with an
     * unresolvable value is not deleted.
     */
    static class WholeValue extends Deletion {
        private final Dialect dialect;

        WholeValue(Typing typing, Dialect dialect) {
            super(typing);
            this.dialect = dialect;
        }

        @Override
        Optional<Node> existing(MapNode tree, ConfigOverride override) {
            Optional<Node> existing = super.existing(tree, override);
            if (existing.isPresent() && existing.get() instanceof ScalarNode leaf && leaf.isInterpolation()) {
                return Optional.of(
                        FollowedReferences.interpolator(tree, dialect).value(override.key()));
            }
            return existing;
        }

        @Override
        final Node without(Node existing, Node value, ConfigOverride override) {
            throw differs(existing, value, override);
        }
    }

    /**
     * Deletion with the rules of Hydra 1.3: a null or missing value counts as absent, and list elements cannot be
     * deleted.
     */
    static final class HydraDeletion extends WholeValue {
        HydraDeletion(Typing typing) {
            super(typing, Dialect.HYDRA);
        }

        @Override
        Optional<Node> existing(MapNode tree, ConfigOverride override) {
            return super.existing(tree, override)
                    .filter(node -> !(node instanceof ScalarNode leaf && (leaf.isNull() || leaf.isMissing())));
        }

        @Override
        Optional<Value> expectedValue(ConfigOverride override) {
            return override.value().filter(value -> !(value instanceof Value.Null));
        }

        /** Python semantics: true equals 1 and false equals 0. */
        @Override
        boolean isSame(Node existing, Node value) {
            return super.isSame(existing, value) || isBooleanOf(existing, value) || isBooleanOf(value, existing);
        }

        private static boolean isBooleanOf(Node truth, Node number) {
            return truth instanceof ScalarNode leaf
                    && leaf.value() instanceof Boolean is
                    && number instanceof ScalarNode other
                    && other.value() instanceof Number value
                    && value.doubleValue() == (is ? 1 : 0);
        }

        @Override
        ListNode withoutIndex(ListNode list, String index, ConfigOverride override) {
            throw Errors.at(override.origin(), "elements of a list cannot be deleted");
        }
    }

    private static ListNode without(ListNode list, Node value, ConfigOverride override) {
        List<Node> rest = list.items().stream()
                .filter(item -> !ValueText.same(item, value))
                .toList();
        if (rest.size() == list.items().size()) {
            throw Errors.at(
                    override.origin(),
                    "'" + override.key() + "' has no element " + ValueText.shown(value) + "; its value is "
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
