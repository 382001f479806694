package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.KeyNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Two checks that the test of every settings record should call. */
public final class SettingsContract {
    private SettingsContract() {}

    /**
     * Asserts that the documented defaults equal {@code expected}. Keys without a default, and choices without a
     * default kind, are copied from {@code expected}; all other values come from {@code @Key(def)}.
     */
    public static <R extends Record> void assertDefaults(R expected) {
        Shape.Section shape = SettingsSchema.of(expected.getClass()).shape();
        MapNode given = (MapNode) onlyRequired(RecordTree.of(expected), shape, null);
        assertThat(Binder.bind(given, expected.getClass()))
                .as("defaults of %s", expected.getClass().getSimpleName())
                .isEqualTo(expected);
    }

    /**
     * Asserts that no key of {@code everyKey} has its default, and that the record survives conversion to a tree and
     * back. Together this shows that each key is bound to its component.
     */
    public static <R extends Record> void assertEveryKeyNonDefault(R everyKey) {
        MapNode tree = RecordTree.of(everyKey);
        Shape.Section shape = SettingsSchema.of(everyKey.getClass()).shape();
        List<String> atDefault = new ArrayList<>();
        collectDefaults(tree, shape, "", atDefault);
        assertThat(atDefault).as("keys that still have their default").isEmpty();
        assertThat(Binder.bind(tree, everyKey.getClass())).isEqualTo(everyKey);
    }

    private static Node onlyRequired(Node node, Shape shape, @Nullable Node def) {
        if (shape instanceof Shape.Section section && node instanceof MapNode map) {
            return requiredOf(map, section);
        }
        if (shape instanceof Shape.Choice choice && node instanceof MapNode map && def == null) {
            Shape.Section section = Objects.requireNonNull(SchemaPaths.chosen(choice, map));
            return requiredOf(map, section).with(choice.key(), Trees.at(map, choice.key()));
        }
        return node;
    }

    private static MapNode requiredOf(MapNode map, Shape.Section section) {
        Map<String, Node> kept = new LinkedHashMap<>();
        for (Field field : section.fields()) {
            boolean nested = field.shape() instanceof Shape.Section || field.shape() instanceof Shape.Choice;
            if (field.required() || (nested && field.def() == null)) {
                kept.put(field.name(), onlyRequired(Trees.at(map, field.name()), field.shape(), field.def()));
            }
        }
        return MapNode.of(kept, Origin.DEFAULT);
    }

    private static void collectDefaults(MapNode map, Shape.Section section, String path, List<String> atDefault) {
        for (Field field : section.fields()) {
            Node node = Trees.at(map, field.name());
            String at = KeyNames.join(path, field.name());
            Shape.Section below = below(node, field.shape());
            if (below != null && node instanceof MapNode deeper) {
                collectDefaults(deeper, below, at, atDefault);
            } else if (isDefault(node, field)) {
                atDefault.add(at);
            }
        }
    }

    private static Shape.@Nullable Section below(Node node, Shape shape) {
        Shape bare = shape.bare();
        if (bare instanceof Shape.Choice choice) {
            return SchemaPaths.chosen(choice, node);
        }
        return bare instanceof Shape.Section section && node instanceof MapNode ? section : null;
    }

    private static boolean isDefault(Node node, Field field) {
        if (field.required()) {
            return false;
        }
        Node def = field.def() == null ? ScalarNode.ofNull(Origin.DEFAULT) : field.def();
        return text(SchemaDefaults.complete(def, field.shape())).equals(text(node));
    }

    /** Returns doubles and integers by value, and everything else as written. */
    private static String text(Node node) {
        if (node instanceof ScalarNode scalar) {
            return scalar.value() instanceof Number number ? Double.toString(number.doubleValue()) : scalar.text();
        }
        return node instanceof MapNode map
                ? map.entries().entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + text(entry.getValue()))
                        .toList()
                        .toString()
                : ((dev.stagesim.config.tree.ListNode) node)
                        .items().stream().map(SettingsContract::text).toList().toString();
    }
}
