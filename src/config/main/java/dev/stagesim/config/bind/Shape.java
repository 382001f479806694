package dev.stagesim.config.bind;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The type of a settings component in the configuration. */
sealed interface Shape {
    /**
     * A single value.
     *
     * @param type the boxed Java class
     * @param words the allowed values in order, or an empty list if there is no fixed set
     */
    record Leaf(LeafType kind, Class<?> type, List<String> words) implements Shape {
        public Leaf {
            words = List.copyOf(words);
        }
    }

    /**
     * A record: a section with known keys.
     *
     * @param variant the value of the variant key that selects the section, or null
     */
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

    /** A sealed interface: one of several sections, which {@code key} selects. Sections are in order of declaration. */
    record Choice(Class<?> type, Variants variants, String key) implements Shape {
        /** The default name of the variant key. */
        static final String KIND = "kind";

        List<String> kinds() {
            return variants.kinds();
        }

        /** Returns the kinds that have this key. */
        List<String> kindsWith(String key) {
            return variants.all()
                    .filter(section -> section.field(key) != null)
                    .map(section -> String.valueOf(section.variant()))
                    .toList();
        }
    }

    /** A list of equal shapes. */
    record Many(Shape element) implements Shape {}

    /** A map with keys that the user chooses. */
    record Open(Shape value) implements Shape {}

    /** A value that may be null. */
    record Maybe(Shape inner) implements Shape {}

    /** True for a path or a list of paths, mandatory or optional. */
    default boolean isPathType() {
        Shape bare = bare();
        return bare instanceof Many many
                ? many.element().isPathType()
                : bare instanceof Leaf leaf && leaf.kind() == LeafType.PATH;
    }

    /** Returns this shape without {@link Maybe}. */
    default Shape bare() {
        return this instanceof Maybe maybe ? maybe.inner().bare() : this;
    }
}
