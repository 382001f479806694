package dev.stagesim.config.bind;

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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Names and suggested values of keys, for shell completion.
 *
 * <p>A shell requests completions at every key press, and the whole {@link SettingsSchema} takes half as long to derive
 * as the JVM takes to start. This class reads only the records along one path.
 */
public final class KeyOutline {
    private KeyOutline() {}

    /**
     * Returns the sorted names directly below a section, over all variants. The value is true if the name is a section.
     */
    public static SortedMap<String, Boolean> children(Class<? extends Record> root, String path) {
        SortedMap<String, Boolean> names = new TreeMap<>();
        for (Type type : below(root, path)) {
            records(type).forEach(section -> {
                for (RecordComponent component : KeyRecord.components(section)) {
                    names.put(KeyNames.snake(component.getName()), isSection(component.getGenericType()));
                }
            });
            if (bare(type) instanceof Class<?> raw && KeyVariants.isChoice(raw)) {
                names.put(variantKey(raw), false);
            }
        }
        return names;
    }

    /** Returns suggested values of a leaf: enum constants, kinds of a section, both booleans, or the default. */
    public static List<String> values(Class<? extends Record> root, String path) {
        int dot = path.lastIndexOf('.');
        String parent = dot < 0 ? "" : path.substring(0, dot);
        String name = path.substring(dot + 1);
        List<String> values = new ArrayList<>();
        for (Type type : below(root, parent)) {
            if (bare(type) instanceof Class<?> raw
                    && KeyVariants.isChoice(raw)
                    && variantKey(raw).equals(name)) {
                records(type)
                        .forEach(variant -> values.add(
                                variant.getAnnotation(Variant.class).value().split(" ", 2)[0]));
            }
            components(type, name).forEach(component -> values.addAll(values(component)));
        }
        return values.stream().distinct().toList();
    }

    private static List<String> values(RecordComponent component) {
        List<String> words = KeyNames.allowedValues(component);
        if (!words.isEmpty()) {
            return words;
        }
        if (element(component.getGenericType()) instanceof Class<?> raw) {
            if (raw.isEnum()) {
                return KeyNames.constants(raw);
            }
            if (raw == boolean.class || raw == Boolean.class) {
                return List.of("false", "true");
            }
        }
        Key key = component.getAnnotation(Key.class);
        String def = key == null ? null : KeyText.of(key).def();
        boolean plain = def != null && !def.equals("null") && !def.equals("{}");
        return plain && !isSection(component.getGenericType()) ? List.of(def) : List.of();
    }

    /** Returns the types at a path: one type, or one per variant with this path. */
    private static List<Type> below(Class<? extends Record> root, String path) {
        List<Type> at = List.of(root);
        for (String name : path.isEmpty() ? List.<String>of() : Arrays.asList(path.split("\\.", -1))) {
            at = at.stream()
                    .flatMap(type -> components(type, name).map(RecordComponent::getGenericType))
                    .toList();
        }
        return at;
    }

    private static Stream<RecordComponent> components(Type type, String name) {
        return records(type)
                .flatMap(section -> KeyRecord.components(section).stream())
                .filter(component -> KeyNames.snake(component.getName()).equals(name));
    }

    /** Returns the record itself, or the records of a section with one record per kind. */
    private static Stream<Class<?>> records(Type type) {
        if (!(bare(type) instanceof Class<?> raw)) {
            return Stream.empty();
        }
        if (raw.isRecord()) {
            return Stream.of(raw);
        }
        return KeyVariants.isChoice(raw) ? KeyVariants.of(raw).stream().flatMap(KeyOutline::records) : Stream.empty();
    }

    private static boolean isSection(Type type) {
        return records(type).findAny().isPresent();
    }

    private static Type bare(Type type) {
        return type instanceof ParameterizedType generic && generic.getRawType() == java.util.Optional.class
                ? generic.getActualTypeArguments()[0]
                : type;
    }

    /** Returns the type of one value: for a list, the type of its elements. */
    private static Type element(Type type) {
        Type inner = bare(type);
        return inner instanceof ParameterizedType generic && generic.getRawType() == List.class
                ? generic.getActualTypeArguments()[0]
                : inner;
    }

    private static String variantKey(Class<?> sealed) {
        VariantKey named = sealed.getAnnotation(VariantKey.class);
        return named == null ? Shape.Choice.KIND : named.value();
    }
}
