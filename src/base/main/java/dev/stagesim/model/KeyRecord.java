package dev.stagesim.model;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/** Reads and creates records with components annotated with {@link Key}. */
public final class KeyRecord {
    /** Cached declared components; Java parses annotations and types again for each call. */
    private static final ClassValue<List<RecordComponent>> DECLARED = new ClassValue<>() {
        @Override
        protected List<RecordComponent> computeValue(Class<?> type) {
            return List.of(type.getRecordComponents());
        }
    };

    private static final ClassValue<List<RecordComponent>> COMPONENTS = new ClassValue<>() {
        @Override
        protected List<RecordComponent> computeValue(Class<?> type) {
            return DECLARED.get(type).stream()
                    .flatMap(declared ->
                            isUnwrapped(declared) ? components(declared.getType()).stream() : Stream.of(declared))
                    .toList();
        }
    };

    /** Cached constructors; Java copies types and checks access again for each call. */
    private static final ClassValue<Constructor<?>> CONSTRUCTORS = new ClassValue<>() {
        @Override
        protected Constructor<?> computeValue(Class<?> type) {
            Class<?>[] types =
                    DECLARED.get(type).stream().map(RecordComponent::getType).toArray(Class<?>[]::new);
            try {
                Constructor<?> constructor = type.getDeclaredConstructor(types);
                constructor.setAccessible(true);
                return constructor;
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException("cannot construct " + type.getName(), e);
            }
        }
    };

    private KeyRecord() {}

    /** Returns the components of a record in order; {@link Unwrapped} records are replaced by their components. */
    public static List<RecordComponent> components(Class<?> type) {
        return COMPONENTS.get(type);
    }

    private static boolean isUnwrapped(RecordComponent component) {
        return component.isAnnotationPresent(Unwrapped.class);
    }

    /** Returns the record with all defaults. */
    public static <R extends Record> R defaults(Class<R> type) {
        return make(type, KeyRecord::defaultValue);
    }

    /** Returns the record with some components reset to their defaults. */
    public static <R extends Record> R reset(Class<R> type, R record, Collection<String> components) {
        return make(
                type,
                component ->
                        components.contains(component.getName()) ? defaultValue(component) : value(component, record));
    }

    /** Returns the record with some components replaced. */
    public static <R extends Record> R with(Class<R> type, R record, Map<String, ?> changes) {
        return make(type, changes, component -> value(component, record));
    }

    /** Returns a record from values by component name, and defaults for the others. */
    public static <R extends Record> R of(Class<R> type, Map<String, ?> given) {
        return make(type, given, KeyRecord::defaultValue);
    }

    private static <R extends Record> R make(
            Class<R> type, Map<String, ?> given, Function<RecordComponent, Object> fallback) {
        Set<String> unknown = new TreeSet<>(given.keySet());
        R record = make(
                type,
                component -> unknown.remove(component.getName())
                        ? given.get(component.getName())
                        : fallback.apply(component));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(type + " has no components " + unknown);
        }
        return record;
    }

    /** Returns a record from a value for each component. */
    public static <R extends Record> R make(Class<R> type, Function<RecordComponent, Object> values) {
        Object[] arguments = DECLARED.get(type).stream()
                .map(declared -> isUnwrapped(declared)
                        ? make(declared.getType().asSubclass(Record.class), values)
                        : values.apply(declared))
                .toArray();
        try {
            return type.cast(CONSTRUCTORS.get(type).newInstance(arguments));
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException("cannot make " + type, e);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            throw new IllegalStateException("cannot make " + type, e);
        }
    }

    /** Returns the value of {@code kind} that selects a variant. */
    public static String kind(Class<?> variant) {
        String text = variant.getAnnotation(Variant.class).value();
        int bar = text.indexOf(" | ");
        return bar < 0 ? text : text.substring(0, bar);
    }

    /** Returns the default of a component. */
    public static Object defaultValue(RecordComponent component) {
        Class<?> type = component.getType();
        String def =
                String.valueOf(KeyText.of(component.getAnnotation(Key.class)).def());
        if (type.isRecord()) {
            return defaults(type.asSubclass(Record.class));
        }
        if (KeyVariants.isChoice(type)) {
            String kind = def.replaceAll("[{}\\s]|kind\\s*=", "");
            return KeyVariants.of(type).stream()
                    .filter(variant -> kind(variant).equals(kind))
                    .map(variant -> defaults(variant.asSubclass(Record.class)))
                    .findFirst()
                    .orElseThrow();
        }
        if (type == Optional.class) {
            return Optional.empty();
        }
        if (type == Map.class && def.equals("{}")) {
            return Map.of();
        }
        if (type == List.class) {
            String items = def.substring(1, def.length() - 1);
            Class<?> itemType = (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
            return items.isBlank()
                    ? List.of()
                    : Arrays.stream(items.split(",", -1))
                            .map(item -> scalar(itemType, item.strip()))
                            .toList();
        }
        return scalar(type, type == String.class ? def.replaceAll("^\"(.*)\"$", "$1") : def);
    }

    /** Parses a number, boolean, constant or text. */
    static Object scalar(Class<?> type, String text) {
        if (type.isEnum()) {
            return KeyNames.constant(type, text);
        }
        return switch (type.getSimpleName()) {
            case "int", "Integer" -> Integer.valueOf(text);
            case "long", "Long" -> Long.valueOf(text);
            case "double", "Double" -> Double.valueOf(text);
            case "boolean", "Boolean" -> Boolean.valueOf(text);
            default -> text;
        };
    }

    /**
     * Returns the keys in the section {@code path} with different values in {@code given} and {@code defaults}, in
     * order.
     */
    public static List<String> differences(String path, Object defaults, Object given) {
        if (!(defaults instanceof Record && given instanceof Record)) {
            return defaults.equals(given) ? List.of() : List.of(path);
        }
        // record equality uses a class that is generated at run time, which is slower than comparing components
        if (defaults.getClass() != given.getClass()) {
            return List.of(path + ".kind");
        }
        List<String> keys = new ArrayList<>();
        for (RecordComponent component : components(defaults.getClass())) {
            keys.addAll(differences(
                    path + "." + KeyNames.snake(component.getName()),
                    value(component, defaults),
                    value(component, given)));
        }
        return keys;
    }

    /** Returns the value of one of the {@link #components}. */
    public static Object value(RecordComponent component, Object record) {
        try {
            if (component.getDeclaringRecord() != record.getClass()) {
                return value(component, value(wrapper(component, record.getClass()), record));
            }
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + component, e);
        }
    }

    private static RecordComponent wrapper(RecordComponent component, Class<?> type) {
        return DECLARED.get(type).stream()
                .filter(declared ->
                        isUnwrapped(declared) && components(declared.getType()).contains(component))
                .findFirst()
                .orElseThrow();
    }
}
