package dev.stagesim.model;

import java.lang.reflect.Constructor;
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

/** Reads and makes records whose components are annotated with {@link Key}. */
public final class KeyRecord {
    /** Read once: Java reads annotations and types again for each component that it gives out. */
    private static final ClassValue<List<RecordComponent>> COMPONENTS = new ClassValue<>() {
        @Override
        protected List<RecordComponent> computeValue(Class<?> type) {
            return List.of(type.getRecordComponents());
        }
    };

    /** Looked up once: Java copies types and checks access again each time. */
    private static final ClassValue<Constructor<?>> CONSTRUCTORS = new ClassValue<>() {
        @Override
        protected Constructor<?> computeValue(Class<?> type) {
            Class<?>[] types =
                    components(type).stream().map(RecordComponent::getType).toArray(Class<?>[]::new);
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

    /** The components of a record, in order. */
    public static List<RecordComponent> components(Class<?> type) {
        return COMPONENTS.get(type);
    }

    /** The constructor of a record, from all components. */
    @SuppressWarnings("unchecked") // it is that of the type
    public static <R extends Record> Constructor<R> constructor(Class<R> type) {
        return (Constructor<R>) CONSTRUCTORS.get(type);
    }

    /** The record of a type in which every key has its default. */
    public static <R extends Record> R defaults(Class<R> type) {
        return make(type, KeyRecord::defaultValue);
    }

    /** The record with the defaults of some components instead of what they are. */
    public static <R extends Record> R reset(Class<R> type, R record, Collection<String> components) {
        return make(type, its -> components.contains(its.getName()) ? defaultValue(its) : value(its, record));
    }

    /** The record with other values of some components. */
    public static <R extends Record> R with(Class<R> type, R record, Map<String, ?> changes) {
        return make(type, changes, its -> value(its, record));
    }

    /** The record of what is given by the names of components, and of defaults. */
    public static <R extends Record> R of(Class<R> type, Map<String, ?> given) {
        return make(type, given, KeyRecord::defaultValue);
    }

    private static <R extends Record> R make(
            Class<R> type, Map<String, ?> given, Function<RecordComponent, Object> otherwise) {
        Set<String> unknown = new TreeSet<>(given.keySet());
        R record = make(type, its -> unknown.remove(its.getName()) ? given.get(its.getName()) : otherwise.apply(its));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(type + " has no components " + unknown);
        }
        return record;
    }

    /** A record of what is given for each of its components. */
    public static <R extends Record> R make(Class<R> type, Function<RecordComponent, Object> values) {
        try {
            return constructor(type)
                    .newInstance(components(type).stream().map(values).toArray());
        } catch (ReflectiveOperationException e) {
            if (e.getCause() instanceof RuntimeException refusal) {
                throw refusal;
            }
            throw new IllegalStateException("cannot make " + type, e);
        }
    }

    /** The word that chooses a variant. */
    public static String kind(Class<?> variant) {
        String text = variant.getAnnotation(Variant.class).value();
        int bar = text.indexOf(" | ");
        return bar < 0 ? text : text.substring(0, bar);
    }

    /** The default of a component. */
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
                    .filter(its -> kind(its).equals(kind))
                    .map(its -> defaults(its.asSubclass(Record.class)))
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
            Class<?> of = (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
            return items.isBlank()
                    ? List.of()
                    : Arrays.stream(items.split(",", -1))
                            .map(item -> scalar(of, item.strip()))
                            .toList();
        }
        return scalar(type, def);
    }

    /** A number, truth value or word. */
    public static Object scalar(Class<?> type, String text) {
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .filter(its -> its.toString().equalsIgnoreCase(text))
                    .findFirst()
                    .orElseThrow();
        }
        return switch (type.getSimpleName()) {
            case "int", "Integer" -> Integer.valueOf(text);
            case "long", "Long" -> Long.valueOf(text);
            case "double", "Double" -> Double.valueOf(text);
            case "boolean", "Boolean" -> Boolean.valueOf(text);
            default -> text;
        };
    }

    /** Keys of the section {@code path} by which {@code given} differs from {@code defaults}, in order. */
    public static List<String> differences(String path, Object defaults, Object given) {
        if (!(defaults instanceof Record && given instanceof Record)) {
            return defaults.equals(given) ? List.of() : List.of(path);
        }
        // the equality of a record is a class made while running, which takes longer than to look at its components
        if (defaults.getClass() != given.getClass()) {
            return List.of(path + ".kind");
        }
        List<String> keys = new ArrayList<>();
        for (RecordComponent its : components(defaults.getClass())) {
            keys.addAll(
                    differences(path + "." + KeyNames.snake(its.getName()), value(its, defaults), value(its, given)));
        }
        return keys;
    }

    public static Object value(RecordComponent component, Object record) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + component, e);
        }
    }
}
