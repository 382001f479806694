package dev.stagesim.config.bind;

import dev.stagesim.config.tree.Node;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.KeyText;
import dev.stagesim.model.KeyVariants;
import dev.stagesim.model.Variant;
import dev.stagesim.model.VariantKey;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Derives shapes from settings records by reflection. An unsupported record is a programming error. */
final class ShapeReader {
    private static final Map<Class<?>, LeafType> LEAVES = Map.ofEntries(
            Map.entry(boolean.class, LeafType.BOOL),
            Map.entry(Boolean.class, LeafType.BOOL),
            Map.entry(int.class, LeafType.INT),
            Map.entry(Integer.class, LeafType.INT),
            Map.entry(long.class, LeafType.LONG),
            Map.entry(Long.class, LeafType.LONG),
            Map.entry(double.class, LeafType.DOUBLE),
            Map.entry(Double.class, LeafType.DOUBLE),
            Map.entry(String.class, LeafType.STRING),
            Map.entry(Path.class, LeafType.PATH),
            Map.entry(Duration.class, LeafType.DURATION));

    /** Fields of records that have been read. Stages share many sections. */
    private static final Map<Class<?>, List<Field>> FIELDS = new ConcurrentHashMap<>();

    private final Deque<Class<?>> open;

    /** Creates a reader inside the records {@code around}. None of their sections may contain these records again. */
    private ShapeReader(List<Class<?>> around) {
        this.open = new ArrayDeque<>(around);
    }

    static Shape.Section root(Class<? extends Record> type) {
        return new ShapeReader(List.of()).section(type, null, "");
    }

    private Shape.Section section(Class<? extends Record> type, @Nullable String variant, String doc) {
        if (open.contains(type)) {
            throw new IllegalStateException("settings record " + type.getName() + " contains itself");
        }
        List<Field> fields = FIELDS.get(type);
        if (fields == null) {
            fields = fields(type);
            FIELDS.put(type, fields);
        }
        return new Shape.Section(type, variant, doc, fields);
    }

    private List<Field> fields(Class<? extends Record> type) {
        open.push(type);
        List<Field> fields = new ArrayList<>();
        for (RecordComponent component : KeyRecord.components(type)) {
            fields.add(field(type, component));
        }
        open.pop();
        return List.copyOf(fields);
    }

    private Field field(Class<?> owner, RecordComponent component) {
        String where = owner.getSimpleName() + "." + component.getName();
        Key annotation = component.getAnnotation(Key.class);
        if (annotation == null) {
            throw new IllegalStateException(where + " has no @Key");
        }
        KeyText key = KeyText.of(annotation);
        String name = KeyNames.snake(component.getName());
        List<String> words = KeyNames.allowedValues(component);
        Shape all = shape(component.getGenericType(), where);
        Shape shape = words.isEmpty() ? all : limited(all, words);
        Node def = key.def() == null ? null : SchemaDefaults.declared(key.def(), shape);
        return new Field(name, component, key, shape, def, ValueRange.of(key, isDurationType(shape)));
    }

    /** Returns the shape of a value, which may be optional, with these words as its only values. */
    private static Shape limited(Shape all, List<String> words) {
        return all instanceof Shape.Maybe maybe
                ? new Shape.Maybe(limited(maybe.inner(), words))
                : new Shape.Leaf(LeafType.ENUM, ((Shape.Leaf) all).type(), words);
    }

    private static boolean isDurationType(Shape shape) {
        if (shape instanceof Shape.Many many) {
            return isDurationType(many.element());
        }
        if (shape instanceof Shape.Open map) {
            return isDurationType(map.value());
        }
        if (shape instanceof Shape.Maybe maybe) {
            return isDurationType(maybe.inner());
        }
        return shape instanceof Shape.Leaf leaf && leaf.kind() == LeafType.DURATION;
    }

    private Shape shape(Type type, String where) {
        if (type instanceof ParameterizedType generic) {
            return generic(generic, where);
        }
        if (!(type instanceof Class<?> raw)) {
            throw unsupported(type, where);
        }
        LeafType leaf = raw.isEnum() ? LeafType.ENUM : LEAVES.get(raw);
        if (leaf != null) {
            return new Shape.Leaf(leaf, raw, KeyNames.constants(raw));
        }
        if (raw.isRecord()) {
            return section(raw.asSubclass(Record.class), null, "");
        }
        if (KeyVariants.isChoice(raw)) {
            VariantKey named = raw.getAnnotation(VariantKey.class);
            String key = named == null ? Shape.Choice.KIND : named.value();
            Map<String, Class<? extends Record>> types = new LinkedHashMap<>();
            variants(raw, types);
            List<Class<?>> around = List.copyOf(open);
            return new Shape.Choice(
                    raw,
                    new Variants(types, (kind, record) -> new ShapeReader(around).variant(kind, record, where, key)),
                    key);
        }
        throw unsupported(type, where);
    }

    private Shape generic(ParameterizedType type, String where) {
        Type[] arguments = type.getActualTypeArguments();
        if (type.getRawType() == Optional.class) {
            return new Shape.Maybe(shape(arguments[0], where));
        }
        if (type.getRawType() == List.class) {
            return new Shape.Many(shape(arguments[0], where));
        }
        if (type.getRawType() == Map.class && arguments[0] == String.class) {
            return new Shape.Open(shape(arguments[1], where));
        }
        throw unsupported(type, where);
    }

    private Shape.Section variant(String kind, Class<? extends Record> type, String where, String key) {
        String text = type.getAnnotation(Variant.class).value();
        String doc = kind.equals(text) ? "" : text.substring(kind.length() + " | ".length());
        Shape.Section section = section(type, kind, doc);
        if (section.field(key) != null) {
            throw new IllegalStateException(where + " has a variant that hides the key " + key);
        }
        return section;
    }

    private static void variants(Class<?> parent, Map<String, Class<? extends Record>> into) {
        for (Class<?> type : KeyVariants.of(parent)) {
            if (type.isSealed() && type.isInterface()) {
                variants(type, into);
                continue;
            }
            if (!type.isRecord() || !type.isAnnotationPresent(Variant.class)) {
                throw new IllegalStateException(type.getName() + " must be a record with @Variant");
            }
            String name = KeyRecord.kind(type);
            if (into.put(name, type.asSubclass(Record.class)) != null) {
                throw new IllegalStateException("two variants of " + parent.getName() + " are called " + name);
            }
        }
    }

    private static IllegalStateException unsupported(Type type, String where) {
        return new IllegalStateException(where + " has type " + type.getTypeName() + ", which settings do not support");
    }
}
