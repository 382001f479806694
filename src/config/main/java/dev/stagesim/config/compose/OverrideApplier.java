package dev.stagesim.config.compose;

import dev.stagesim.config.compose.typed.Typing;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Value;
import dev.stagesim.config.grammar.ValueNodes;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.ForeignNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Applies value overrides to a composed tree. The tree is closed: a plain change requires an existing key.
 *
 * @param schema keys that count as existing
 * @param groups supplies the groups for suggestions; called only on errors
 */
record OverrideApplier(Rules rules, Typing typing, Optional<KnownKeys> schema, Supplier<List<String>> groups) {
    /** A section that users expect, with a limit for each metric. */
    private static final List<String> SLO = List.of("slo");

    private static final int MAX_SUGGESTIONS = 3;

    /**
     * Applies all overrides in order.
     *
     * @throws StageException with every invalid override
     */
    MapNode applyAll(MapNode tree, List<ConfigOverride> overrides) {
        List<Problem> problems = new ArrayList<>();
        MapNode current = tree;
        for (ConfigOverride override : overrides) {
            try {
                current = apply(current, override);
            } catch (StageException wrong) {
                problems.addAll(wrong.problems());
            }
        }
        StageException.refuse(problems);
        return current;
    }

    /**
     * Checks only the names, for a tree that could not be composed. Groups must exist, and changed keys must be in the
     * schema.
     *
     * @throws StageException with every invalid override
     */
    void checkKeys(List<ConfigOverride> overrides) {
        Findings findings = new Findings(true);
        for (ConfigOverride override : overrides) {
            findings.attempt(() -> {
                checkTarget(override);
                if (schema.isPresent() && !override.isEngineSetting() && changes(override)) {
                    checkPath(override, schema.get().defaults());
                }
            });
        }
        findings.end();
    }

    /** Returns the tree with all overrides that can be applied. */
    MapNode applyPossible(MapNode tree, List<ConfigOverride> overrides) {
        MapNode current = tree;
        for (ConfigOverride override : overrides) {
            try {
                current = apply(current, override);
            } catch (StageException reported) {
                // the caller has reported the problem; the next override is applied to the unchanged tree
            }
        }
        return current;
    }

    private static boolean changes(ConfigOverride override) {
        return switch (override.type()) {
            case CHANGE, APPEND, REPLACE -> true;
            case ADD, FORCE_ADD, DELETE -> false;
        };
    }

    private void checkPath(ConfigOverride override, MapNode defaults) {
        List<String> path = override.path();
        for (int i = 0; i < path.size(); i++) {
            if (!accepted(path.subList(0, i + 1))) {
                List<String> parent = path.subList(0, i);
                MapNode siblings = Paths.get(defaults, parent) instanceof MapNode map ? map : MapNode.empty();
                throw unknown(override, parent, siblings, path.get(i));
            }
        }
    }

    private void checkTarget(ConfigOverride override) {
        if (override.key().isEmpty()) {
            throw Errors.noKey(override);
        }
        if (override.pkg().isPresent() || (rules.slashRequiresGroup() && override.namesGroup())) {
            throw Errors.noSuchGroup(override, groups.get());
        }
    }

    private MapNode apply(MapNode tree, ConfigOverride given) {
        checkTarget(given);
        ConfigOverride override = rules.followsReferences() ? FollowedReferences.of(tree, given) : given;
        return switch (override.type()) {
            case DELETE -> delete(tree, override);
            case APPEND -> append(tree, override);
            default -> set(tree, override);
        };
    }

    private MapNode delete(MapNode tree, ConfigOverride override) {
        List<String> path = override.path();
        if (Paths.get(tree, path) == null) {
            refuseFormer(override, path.subList(0, path.size() - 1), path.get(path.size() - 1));
        }
        return rules.deletion(typing).apply(tree, override);
    }

    private MapNode set(MapNode tree, ConfigOverride override) {
        Node value = ValueNodes.toNode(override.value().orElse(Value.Null.NULL), override.origin());
        if (override.type() == ConfigOverride.Type.ADD && value instanceof ScalarNode) {
            checkAbsent(tree, override);
        }
        override.value().ifPresent(given -> checkKeyTypes(override, override.path(), given));
        return (MapNode) update(override, List.of(), tree, override.path(), value);
    }

    /** Checks the key types of a literal map against the key type of a typed map. */
    private void checkKeyTypes(ConfigOverride override, List<String> path, Value value) {
        if (value instanceof Value.Dict map) {
            for (Value.Dict.Entry entry : map.entries()) {
                String key = entry.key().text();
                typing.checkKey(path, key, !(entry.key() instanceof Value.Text), override.origin());
                checkKeyTypes(override, Paths.child(path, key), entry.value());
            }
        }
    }

    private void checkAbsent(MapNode tree, ConfigOverride override) {
        Node existing = Paths.get(tree, override.path());
        if (existing == null || (existing instanceof ScalarNode leaf && (leaf.isNull() || leaf.isMissing()))) {
            return;
        }
        String text = override.input().substring(1);
        throw StageException.input(Errors.problem(
                        override.key(), "could not append to the config: '" + override.key() + "' already exists")
                .from(override.origin().describe())
                .note(
                        "was",
                        ValueText.shown(existing) + "  (" + existing.origin().describe() + ")")
                .hint("to change it write '" + text + "'; to add or change it write '++" + text + "'"));
    }

    private MapNode append(MapNode tree, ConfigOverride override) {
        Node value = ValueNodes.toNode(override.value().orElse(Value.Null.NULL), override.origin());
        Node existing = Paths.get(tree, override.path());
        List<Node> items = new ArrayList<>();
        if (existing instanceof ListNode list) {
            items.addAll(list.items());
        } else if (rules.appendsToListsOnly()
                || (existing != null
                        && !(existing instanceof ScalarNode leaf && (leaf.isNull() || leaf.isMissing())))) {
            throw Errors.at(
                    override.origin(),
                    "cannot append to '" + override.key() + "', which is not a list but "
                            + (existing == null ? "absent" : ValueText.shown(existing)));
        }
        if (value instanceof ListNode more) {
            items.addAll(more.items());
        } else {
            items.add(value);
        }
        return (MapNode) update(override, List.of(), tree, override.path(), new ListNode(items, override.origin()));
    }

    /** Rebuilds the containers along {@code rest} below {@code done} and sets {@code value} at the end. */
    private Node update(ConfigOverride override, List<String> done, Node node, List<String> rest, Node value) {
        String key = rest.get(0);
        List<String> path = Paths.child(done, key);
        typing.checkSegment(done, key, override.origin());
        if (node instanceof ListNode list) {
            int index = Paths.index(list, key);
            if (rest.size() == 1 && index < 0 && value instanceof ScalarNode) {
                typing.checkElement(done, value);
            } else if (rest.size() > 1 && index < 0) {
                typing.checkElement(done, Paths.emptyMap(override.origin()));
            }
            if (index < 0) {
                throw Errors.at(
                        override.origin(),
                        "'" + Paths.dotted(done) + "' has " + list.items().size() + " elements, so there is no '"
                                + Paths.dotted(path) + "'");
            }
            Node item = list.items().get(index);
            return Paths.with(
                    list,
                    index,
                    rest.size() == 1
                            ? combine(override, path, item, value)
                            : update(override, path, container(override, path, item), tail(rest), value));
        }
        MapNode map = (MapNode) node;
        Node existing = map.get(key);
        if (existing == null && !mayAdd(override, path)) {
            throw unknown(override, done, map, key);
        }
        return map.with(
                key,
                rest.size() == 1
                        ? combine(override, path, existing, value)
                        : update(override, path, container(override, path, existing), tail(rest), value));
    }

    private static List<String> tail(List<String> path) {
        return path.subList(1, path.size());
    }

    private boolean mayAdd(ConfigOverride override, List<String> path) {
        return override.type() == ConfigOverride.Type.ADD
                || override.type() == ConfigOverride.Type.FORCE_ADD
                || accepted(path);
    }

    private boolean accepted(List<String> path) {
        return schema.filter(known -> known.accepts(path)).isPresent();
    }

    /** Returns the container at {@code path}. A leaf is replaced by a map with unknown keys. */
    private Node container(ConfigOverride override, List<String> path, @Nullable Node node) {
        if (node instanceof MapNode || node instanceof ListNode) {
            return node;
        }
        if (node instanceof ScalarNode leaf) {
            rules.closed(leaf).ifPresent(why -> {
                throw Errors.at(override.origin(), "'" + Paths.dotted(path) + "' " + why);
            });
        }
        return typing.opened(path, node == null, override.origin());
    }

    private Node combine(ConfigOverride override, List<String> path, @Nullable Node existing, Node value) {
        if (override.type() == ConfigOverride.Type.APPEND || override.type() == ConfigOverride.Type.REPLACE) {
            return value instanceof ScalarNode leaf && existing != null ? leaf.replacing(existing) : value;
        }
        if (value instanceof ScalarNode leaf) {
            Node converted = typing.convert(path, leaf);
            return converted instanceof ScalarNode plain && existing != null ? plain.replacing(existing) : converted;
        }
        if (!(existing instanceof MapNode) && value instanceof MapNode && typing.isStructInMap(path)) {
            throw typing.plainMap(path, override.origin());
        }
        boolean open = override.type() != ConfigOverride.Type.CHANGE;
        Merger.NewKeys newKeys = !open && existing instanceof MapNode map
                ? (at, key, node) -> checkNew(override, at, key, Paths.get(map, at.subList(path.size(), at.size())))
                : typing::checkKey;
        return new Merger(typing, newKeys).merge(path, existing, value);
    }

    private void checkNew(ConfigOverride override, List<String> parent, String key, @Nullable Node siblings) {
        // a new map has no existing keys to protect
        if (siblings instanceof MapNode map && !accepted(Paths.child(parent, key))) {
            throw unknown(override, parent, map, key);
        }
    }

    private void refuseFormer(ConfigOverride override, List<String> parent, String key) {
        schema.flatMap(keys -> keys.former(parent, key)).ifPresent(former -> {
            throw StageException.input(former.from(override.origin().describe()));
        });
    }

    /** Returns the key that a name in another tool stands for; empty in a section, whose keys have other suggestions. */
    private List<String> meant(String key, List<String> options, List<String> parent) {
        return !parent.isEmpty()
                ? List.of()
                : ForeignNames.meant(key).stream()
                        .filter(name -> options.contains(name) || accepted(List.of(name.split("[.]"))))
                        .limit(1)
                        .toList();
    }

    private StageException unknown(ConfigOverride override, List<String> parent, MapNode siblings, String key) {
        refuseFormer(override, parent, key);
        List<String> known = new ArrayList<>(siblings.keys());
        schema.ifPresent(keys -> known.addAll(keys.children(parent)));
        List<String> shorts =
                parent.isEmpty() ? schema.map(KnownKeys::shortKeys).orElse(List.of()) : List.of();
        List<String> options = Stream.concat(shorts.stream(), known.stream().sorted())
                .distinct()
                .toList();
        String prefix = parent.isEmpty() ? "" : Paths.dotted(parent) + ".";
        List<String> near = new ArrayList<>(meant(key, options, parent));
        Optional<String> explanation =
                parent.isEmpty() || parent.equals(SLO) ? ForeignNames.explanation(key) : Optional.empty();
        boolean isForeign = !near.isEmpty() || explanation.isPresent();
        if (!isForeign) {
            Suggest.near(key, options).forEach(name -> near.add(prefix + name));
        }
        if (parent.isEmpty() && !isForeign) {
            Suggest.near(key, groups.get()).stream()
                    .filter(name -> !near.contains(name))
                    .forEach(near::add);
        }
        if (near.isEmpty() && parent.isEmpty() && !isForeign) {
            schema.stream()
                    .flatMap(keys -> keys.named(key).stream())
                    .filter(path -> Paths.get(siblings, List.of(path.split("[.]"))) != null)
                    .limit(MAX_SUGGESTIONS)
                    .forEach(near::add);
        }
        String what = "could not override '" + override.key() + "': there is no key '" + prefix + key + "'";
        Problem problem =
                Errors.problem(override.key(), what).from(override.origin().describe());
        if (parent.isEmpty() && near.remove(key)) {
            problem =
                    problem.hint("'" + key + "' is a group of configs that is not part of this configuration; choose it"
                            + " in a stage that uses it: " + key + "=<option>");
        }
        problem = explanation.map(problem::hint).orElse(problem).didYouMean(near);
        // with a schema, an appended unknown key would only fail later
        return StageException.input(
                schema.isPresent()
                        ? problem.options(options)
                        : problem.hint("to append to the config use +" + override.input()));
    }
}
