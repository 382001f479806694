package dev.stagesim.config.bind;

import dev.stagesim.config.hocon.ConfigFileReader;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Adds the defaults of a shape to a tree. */
final class SchemaDefaults {
    private SchemaDefaults() {}

    /** Parses the declared default of a key. For a sealed section, the name of a variant is sufficient. */
    static Node declared(String text, Shape shape) {
        Node node = ConfigFileReader.value(text, Origin.DEFAULT);
        if (shape.bare() instanceof Shape.Choice choice && node instanceof ScalarNode scalar && !scalar.isNull()) {
            return MapNode.of(Map.of(choice.key(), scalar), Origin.DEFAULT);
        }
        return node;
    }

    /** Returns {@code given} with the default of every absent key. Keys are in the order of the record. */
    static Node complete(@Nullable Node given, Shape shape) {
        if (shape instanceof Shape.Maybe maybe) {
            return given == null || isNull(given) ? ScalarNode.ofNull(Origin.DEFAULT) : complete(given, maybe.inner());
        }
        if (given == null && shape instanceof Shape.Choice choice) {
            return MapNode.of(Map.of(choice.key(), missing()), Origin.DEFAULT);
        }
        if (shape instanceof Shape.Section section && (given == null || given instanceof MapNode)) {
            return section(given == null ? MapNode.empty() : (MapNode) given, section, null);
        }
        if (shape instanceof Shape.Choice choice && given instanceof MapNode map) {
            return choice(map, choice);
        }
        if (shape instanceof Shape.Many many && given instanceof ListNode list) {
            return items(list, many);
        }
        if (shape instanceof Shape.Open open && given instanceof MapNode map) {
            Map<String, Node> entries = new LinkedHashMap<>();
            map.entries().forEach((key, value) -> entries.put(key, complete(value, open.value())));
            return MapNode.of(entries, map.origin());
        }
        return given == null ? missing() : given;
    }

    private static ListNode items(ListNode list, Shape.Many many) {
        List<Node> items = new ArrayList<>();
        list.items().forEach(item -> items.add(complete(item, many.element())));
        return new ListNode(items, list.origin());
    }

    private static MapNode choice(MapNode given, Shape.Choice choice) {
        Node kind = given.get(choice.key());
        if (kind == null) {
            return given.with(choice.key(), missing());
        }
        Shape.Section section = SchemaPaths.chosen(choice, given);
        return section != null && kind instanceof ScalarNode scalar
                ? section(StaleKeys.drop(given, scalar, section, choice), section, choice.key())
                : given;
    }

    /** Known keys come first, in declaration order. Unknown keys follow, so that binding can report them. */
    private static MapNode section(MapNode given, Shape.Section section, @Nullable String kindKey) {
        Map<String, Node> entries = new LinkedHashMap<>();
        Node kind = kindKey == null ? null : given.get(kindKey);
        if (kindKey != null && kind != null) {
            entries.put(kindKey, kind);
        }
        for (Field field : section.fields()) {
            Node written = given.get(field.name());
            entries.put(field.name(), complete(startingPoint(written, field), field.shape()));
        }
        given.entries().forEach(entries::putIfAbsent);
        return MapNode.of(entries, given.origin());
    }

    /** Merges a section into its declared default, unless the section selects another kind. */
    private static @Nullable Node startingPoint(@Nullable Node given, Field field) {
        if (given == null || !(field.def() instanceof MapNode def) || !(given instanceof MapNode map)) {
            return given == null ? field.def() : given;
        }
        if (field.shape().bare() instanceof Shape.Open) {
            return given;
        }
        if (!(field.shape().bare() instanceof Shape.Choice choice)) {
            return merge(def, map);
        }
        Node defaultKind = def.get(choice.key());
        boolean otherKind = map.get(choice.key()) instanceof ScalarNode chosen
                && defaultKind instanceof ScalarNode fallback
                && !chosen.text().equals(fallback.text());
        return otherKind ? given : merge(def, map);
    }

    private static MapNode merge(MapNode below, MapNode above) {
        Map<String, Node> entries = new LinkedHashMap<>(below.entries());
        above.entries().forEach((key, value) -> {
            Node old = entries.get(key);
            entries.put(key, old instanceof MapNode a && value instanceof MapNode b ? merge(a, b) : value);
        });
        return MapNode.of(entries, above.origin());
    }

    private static boolean isNull(Node node) {
        return node instanceof ScalarNode scalar && scalar.isNull();
    }

    private static ScalarNode missing() {
        return ScalarNode.of(ScalarNode.MISSING, Origin.DEFAULT);
    }

    /**
     * Removes the keys of a replaced variant.
     *
     * <p>If a later layer switches a section to another kind, keys that earlier files set for the old kind no longer
     * apply. Keys in the same file as the new kind, or on the command line, remain and are reported. Defaults of
     * another kind, which were merged before the kind was known, never apply. If the new kind has a key with the same
     * name, its own default applies.
     */
    private static final class StaleKeys {
        private StaleKeys() {}

        static MapNode drop(MapNode given, ScalarNode kind, Shape.Section chosen, Shape.Choice choice) {
            MapNode kept = given;
            for (var entry : given.entries().entrySet()) {
                String key = entry.getKey();
                if (key.equals(choice.key())) {
                    continue;
                }
                boolean foreign = chosen.field(key) == null;
                Node value = entry.getValue();
                boolean replaced = isOfReplacedKind(key, kind, choice) && isEarlier(value, kind.origin());
                boolean moot = foreign
                        ? replaced
                                || (isDefault(value) && !choice.kindsWith(key).isEmpty())
                        : isDefault(value) && isOfReplacedKind(key, kind, choice);
                if (moot) {
                    kept = kept.without(key);
                }
            }
            return kept;
        }

        private static boolean isOfReplacedKind(String key, ScalarNode kind, Shape.Choice choice) {
            for (Node old = kind.previous(); old instanceof ScalarNode was; old = was.previous()) {
                Shape.Section section = choice.variants().get(was.text());
                if (section != null && section.field(key) != null && !was.text().equals(kind.text())) {
                    return true;
                }
            }
            return false;
        }

        /** True if the value, with all values of a section, is a default. */
        private static boolean isDefault(Node value) {
            return allMatch(value, origin -> origin.equals(Origin.DEFAULT));
        }

        /** True if the value, with all values of a section, is of an earlier file than the kind. */
        private static boolean isEarlier(Node value, Origin kind) {
            return allMatch(
                    value, origin -> origin.text() == null && !origin.source().equals(kind.source()));
        }

        private static boolean allMatch(Node value, Predicate<Origin> condition) {
            return (value instanceof MapNode map && !map.isEmpty())
                    ? map.entries().values().stream().allMatch(inner -> allMatch(inner, condition))
                    : condition.test(value.origin());
        }
    }
}
