package dev.stagesim.config.bind;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Converts a settings record to the tree that binds to it: the inverse of {@link Binder}. */
public final class RecordTree {
    private final Origin origin;

    private RecordTree(Origin origin) {
        this.origin = origin;
    }

    /** Returns the tree of a record. The origin of every value is {@link Origin#DEFAULT}. */
    public static MapNode of(Record settings) {
        return of(settings, Origin.DEFAULT);
    }

    /** Returns the tree of a record. Keys are in order of declaration, after the key that selects a variant. */
    public static MapNode of(Record settings, Origin origin) {
        return new RecordTree(origin)
                .section(settings, SettingsSchema.of(settings.getClass()).shape());
    }

    private MapNode variant(Object settings, Shape.Choice choice) {
        Shape.Section section = variantOf(settings, choice);
        Map<String, Node> entries = new LinkedHashMap<>();
        entries.put(choice.key(), ScalarNode.of(String.valueOf(section.variant()), origin));
        entries.putAll(section(settings, section).entries());
        return MapNode.of(entries, origin);
    }

    private MapNode section(Object settings, Shape.Section section) {
        Map<String, Node> entries = new LinkedHashMap<>();
        for (Field field : section.fields()) {
            entries.put(field.name(), node(KeyRecord.value(field.component(), settings), field.shape()));
        }
        return MapNode.of(entries, origin);
    }

    private Node node(Object value, Shape shape) {
        if (shape instanceof Shape.Maybe maybe) {
            Optional<?> optional = (Optional<?>) value;
            return optional.isPresent() ? node(optional.get(), maybe.inner()) : ScalarNode.ofNull(origin);
        }
        if (shape instanceof Shape.Many many) {
            List<Node> items = new ArrayList<>();
            ((List<?>) value).forEach(item -> items.add(node(item, many.element())));
            return new ListNode(items, origin);
        }
        if (shape instanceof Shape.Open open) {
            Map<String, Node> entries = new LinkedHashMap<>();
            ((Map<?, ?>) value).forEach((key, item) -> entries.put((String) key, node(item, open.value())));
            return MapNode.of(entries, origin);
        }
        if (shape instanceof Shape.Choice choice) {
            return variant(value, choice);
        }
        return shape instanceof Shape.Section section ? section(value, section) : leaf(value);
    }

    private static Shape.Section variantOf(Object value, Shape.Choice choice) {
        return Optional.ofNullable(choice.variants().of(value.getClass()))
                .orElseThrow(() -> new IllegalStateException(value.getClass().getName() + " is not a variant"));
    }

    private Node leaf(Object value) {
        if (value instanceof Boolean flag) {
            return ScalarNode.of(flag, origin);
        }
        if (value instanceof Integer || value instanceof Long) {
            return ScalarNode.of(((Number) value).longValue(), origin);
        }
        if (value instanceof Double number) {
            return ScalarNode.of(number, text(number), origin);
        }
        if (value instanceof Enum<?> constant) {
            return ScalarNode.of(KeyNames.constant(constant), origin);
        }
        if (value instanceof Duration duration) {
            return ScalarNode.of(Units.render(duration), origin);
        }
        return ScalarNode.of(value instanceof Path path ? path.toString() : (String) value, origin);
    }

    private static String text(double number) {
        if (Double.isInfinite(number)) {
            return number > 0 ? "inf" : "-inf";
        }
        return Double.isNaN(number) ? "nan" : Double.toString(number);
    }
}
