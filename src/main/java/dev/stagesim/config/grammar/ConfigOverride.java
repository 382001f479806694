package dev.stagesim.config.grammar;

import dev.stagesim.config.tree.Origin;
import java.util.List;
import java.util.Optional;

/**
 * One parsed override.
 *
 * @param type what to do
 * @param key the key or group as written, without prefix and package; {@code l[0]} is normalised to {@code l.0}
 * @param pkg the part after {@code @}; present and empty for {@code key@=}, the root package
 * @param value the value; empty only for a deletion without one
 * @param input the override as typed
 * @param position 1-based place among the overrides
 */
public record ConfigOverride(
        Type type, String key, Optional<String> pkg, Optional<Value> value, String input, int position) {
    /** What an override does; the prefix or operator that says so. */
    public enum Type {
        /** {@code key=value}: the key must exist. */
        CHANGE(""),
        /** {@code +key=value}: the key must not exist; lists and maps merge. */
        ADD("+"),
        /** {@code ++key=value}: add or change. */
        FORCE_ADD("++"),
        /** {@code ~key} or {@code ~key=value}: delete, with a value only if it matches. */
        DELETE("~"),
        /** {@code key+=value}: append to a list; our dialect only. */
        APPEND(""),
        /** {@code key:=value}: replace the whole value where a change would merge a map; our dialect only. */
        REPLACE("");

        private final String prefix;

        Type(String prefix) {
            this.prefix = prefix;
        }

        /** The characters in front of the key. */
        public String prefix() {
            return prefix;
        }

        /** The characters between key and value. */
        public String operator() {
            return this == APPEND ? "+=" : this == REPLACE ? ":=" : "=";
        }
    }

    /** True when the value stands for several values. */
    public boolean isSweep() {
        return value.isPresent() && value.get() instanceof Sweep;
    }

    /** Prefix, key and package as an override starts with them: {@code +db@src}. */
    public String keyElement() {
        return type.prefix() + key + pkg.map(name -> "@" + name).orElse("");
    }

    /** The segments of a dotted key. */
    public List<String> path() {
        return key.isEmpty() ? List.of() : List.of(key.split("\\.", -1));
    }

    /** True when the key itself says that it is a group: it has a slash. */
    public boolean namesGroup() {
        return key.indexOf('/') >= 0;
    }

    /** True for settings of the engine itself, whose keys start with {@code hydra.} or {@code hydra/}. */
    public boolean isEngineSetting() {
        return key.startsWith("hydra.") || key.startsWith("hydra/");
    }

    public Origin origin() {
        return Origin.override(position, input);
    }
}
