package dev.stagesim.config.bind;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The type of a settings component, as the configuration sees it. */
sealed interface Shape {
    /** A single value. {@code type} is the boxed Java class, {@code words} what one of them may be, in order. */
    record Leaf(LeafType kind, Class<?> type, List<String> words) implements Shape {
        public Leaf {
            words = List.copyOf(words);
        }
    }

    /** A record: a section with known keys. {@code variant} is the value of the key that selects it, or null. */
    record Section(Class<? extends Record> type, @Nullable String variant, String doc, List<Field> fields)
            implements Shape {
        public Section {
            fields = List.copyOf(fields);
        }

        @Nullable
        Field field(String name) {
            for (Field field : fields) {
                if (field.name().equals(name)) {
                    return field;
                }
            }
            return null;
        }

        List<String> names() {
            return fields.stream().map(Field::name).toList();
        }
    }

    /** A sealed interface: one of several sections, selected by {@code key}; in order of declaration. */
    record Choice(Class<?> type, Variants variants, String key) implements Shape {
        /** The key that selects the variant where the interface names no other. */
        static final String KIND = "kind";

        List<String> kinds() {
            return variants.kinds();
        }

        /** The kinds that have a key of this name. */
        List<String> kindsWith(String key) {
            return variants.all()
                    .filter(section -> section.field(key) != null)
                    .map(section -> String.valueOf(section.variant()))
                    .toList();
        }
    }

    /** A list of equal shapes. */
    record Many(Shape element) implements Shape {}

    /** A map whose keys the user chooses. */
    record Open(Shape value) implements Shape {}

    /** A value that may be null. */
    record Maybe(Shape inner) implements Shape {}

    /** Whether it is a path or a list of paths, mandatory or not. */
    default boolean holdsPath() {
        Shape bare = bare();
        return bare instanceof Many many
                ? many.element().holdsPath()
                : bare instanceof Leaf leaf && leaf.kind() == LeafType.PATH;
    }

    /** This shape without {@link Maybe}. */
    default Shape bare() {
        return this instanceof Maybe maybe ? maybe.inner().bare() : this;
    }
}
