package dev.stagesim.config.bind;

import dev.stagesim.model.KeyNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The sections below root settings records, without duplicates, and the keys that refer to them. */
final class ConfigSections {
    private final Map<Class<?>, Entry> entries = new LinkedHashMap<>();

    /**
     * A key with a section as its value.
     *
     * @param root heading of the root
     * @param path dotted path from the root
     * @param kind the kind that has the key, as {@code profile.profiler=torch}; empty if all kinds have it
     */
    private record Place(String root, String path, String kind) {}

    /**
     * One section.
     *
     * @param defaultKinds default kinds at the places; empty for a place without a default, and for a section without
     *     kinds
     */
    record Entry(Shape shape, List<Place> places, Set<String> defaultKinds) {
        /** Returns the path with the smallest number of segments, and among equal ones the first. */
        String path() {
            return paths().stream()
                    .min(Comparator.comparingInt(
                            path -> SchemaPaths.segments(path).size()))
                    .orElseThrow();
        }

        Set<String> paths() {
            return places.stream().map(Place::path).collect(Collectors.toCollection(LinkedHashSet::new));
        }

        /** Returns the kinds that have the key of {@link #path()}, or the roots if it does not depend on a kind. */
        String condition() {
            String kinds = places.stream()
                    .filter(place -> place.path().equals(path()))
                    .map(Place::kind)
                    .distinct()
                    .collect(Collectors.joining(", "));
            String roots = places.stream()
                    .filter(place -> place.path().equals(path()))
                    .map(place -> place.root().replace("Stage ", ""))
                    .distinct()
                    .collect(Collectors.joining(", "));
            return kinds.isEmpty() ? " of " + roots : " with " + kinds;
        }
    }

    /** Adds the sections of a root record. */
    void addRoot(String heading, Shape.Section root) {
        addFields(new Place(heading, "", ""), root);
    }

    private void addFields(Place parent, Shape.Section section) {
        for (Field field : section.fields()) {
            String path = KeyNames.join(parent.path(), field.name());
            add(new Place(parent.root(), path, parent.kind()), field.shape().bare(), KeyDocs.defaultKind(field));
        }
    }

    private void add(Place place, Shape shape, String defaultKind) {
        if (shape instanceof Shape.Many many) {
            add(
                    new Place(place.root(), place.path() + ".<n>", ""),
                    many.element().bare(),
                    "");
        } else if (shape instanceof Shape.Open open) {
            add(
                    new Place(place.root(), place.path() + ".<name>", ""),
                    open.value().bare(),
                    "");
        } else if (shape instanceof Shape.Choice choice) {
            entry(place, choice.type(), choice, defaultKind);
            choice.variants()
                    .all()
                    .forEach(section -> addFields(
                            new Place(
                                    place.root(),
                                    place.path(),
                                    place.path() + "." + choice.key() + "=" + section.variant()),
                            section));
        } else if (shape instanceof Shape.Section section) {
            entry(place, section.type(), section, defaultKind);
            addFields(new Place(place.root(), place.path(), ""), section);
        }
    }

    private void entry(Place place, Class<?> type, Shape shape, String defaultKind) {
        Entry entry = entries.computeIfAbsent(type, any -> new Entry(shape, new ArrayList<>(), new LinkedHashSet<>()));
        entry.places().add(place);
        entry.defaultKinds().add(defaultKind);
    }

    /** Returns the section that a value of this shape consists of, also as elements of a list or map; null if none. */
    @Nullable
    Entry get(Shape shape) {
        Shape bare = shape.bare();
        if (bare instanceof Shape.Many many) {
            return get(many.element());
        }
        if (bare instanceof Shape.Open open) {
            return get(open.value());
        }
        if (bare instanceof Shape.Choice choice) {
            return entries.get(choice.type());
        }
        return bare instanceof Shape.Section section ? entries.get(section.type()) : null;
    }

    /** Returns the sections in order of their headings. */
    List<Entry> sorted() {
        List<Entry> sorted = new ArrayList<>(entries.values());
        sorted.sort(Comparator.comparing(this::heading));
        return sorted;
    }

    /** Returns the shortest path, with a condition if another section has the same path. */
    String heading(Entry entry) {
        boolean isUnique = entries.values().stream()
                        .filter(other -> other.path().equals(entry.path()))
                        .count()
                == 1;
        return "`" + entry.path() + "`" + (isUnique ? "" : entry.condition());
    }
}
