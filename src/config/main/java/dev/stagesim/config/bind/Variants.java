package dev.stagesim.config.bind;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Schema sections of the records that implement a sealed interface, by kind. A section is built on first use, because
 * most are never needed.
 */
final class Variants {
    private final Map<String, Class<? extends Record>> types;
    private final BiFunction<String, Class<? extends Record>, Shape.Section> reader;
    private final Map<String, Shape.Section> sections = new ConcurrentHashMap<>();

    /**
     * Creates the variants.
     *
     * @param types the records in order of declaration
     * @param reader builds the section of a record type
     */
    Variants(
            Map<String, Class<? extends Record>> types,
            BiFunction<String, Class<? extends Record>, Shape.Section> reader) {
        this.types = types;
        this.reader = reader;
    }

    List<String> kinds() {
        return List.copyOf(types.keySet());
    }

    Shape.@Nullable Section get(String kind) {
        Class<? extends Record> type = types.get(kind);
        return type == null ? null : section(kind, type);
    }

    /** Returns the section of a record type, or null if it is not one of the variants. */
    Shape.@Nullable Section of(Class<?> type) {
        for (var entry : types.entrySet()) {
            if (entry.getValue() == type) {
                return section(entry.getKey(), entry.getValue());
            }
        }
        return null;
    }

    /** Returns all sections in order. Each one is read when the stream reaches it. */
    Stream<Shape.Section> all() {
        return types.entrySet().stream().map(entry -> section(entry.getKey(), entry.getValue()));
    }

    private Shape.Section section(String kind, Class<? extends Record> type) {
        Shape.Section section = sections.get(kind);
        if (section == null) {
            section = reader.apply(kind, type);
            sections.put(kind, section);
        }
        return section;
    }
}
