package dev.stagesim.config.compose.typed;

import dev.stagesim.config.tree.MapNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The declared type of a value. */
public sealed interface Type {
    /** Types of leaves. */
    enum Leaf implements Type {
        STR,
        INT,
        FLOAT,
        BOOL,
        PATH,
        ANY
    }

    /** A set of names, numbered from 1. A value is given by name or by number. */
    record EnumOf(List<String> names) implements Type {}

    /** A list with items of one type. */
    record ListOf(Type item) implements Type {}

    /** A map from keys of one type to values of one type. */
    record MapOf(Type key, Type value) implements Type {}

    /** One of several leaf types. Values are not converted. */
    record UnionOf(List<Type> types) implements Type {}

    /** A type with nullable values. */
    record Optional(Type type) implements Type {}

    /** A map with declared keys and their defaults. */
    record Struct(String name, Map<String, Type> fields, MapNode defaults) implements Type {
        public Struct {
            fields = new LinkedHashMap<>(fields);
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
