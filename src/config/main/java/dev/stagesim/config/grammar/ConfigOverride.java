package dev.stagesim.config.grammar;

import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.Paths;
import java.util.List;
import java.util.Optional;

/**
 * One parsed override.
 *
 * @param type the operation
 * @param key the key or group as written, without prefix and package; {@code l[0]} is normalised to {@code l.0}; with
 *     {@link Dialect#HYDRA_1_4} a literal dot in a key is {@code \\.}
 * @param pkg the part after {@code @}; present and empty for {@code key@=}, the root package
 * @param value the value; empty only for a deletion without a value
 * @param input the override as typed
 * @param position 1-based position among the overrides
 */
public record ConfigOverride(
        Type type, String key, Optional<String> pkg, Optional<Value> value, String input, int position) {
    /** The operation of an override, which its prefix or operator selects. */
    public enum Type {
        /** {@code key=value}: the key must exist. */
        CHANGE(""),
        /** {@code +key=value}: the key must not exist; lists and maps merge. */
        ADD("+"),
        /** {@code ++key=value}: the key is added or changed. */
        FORCE_ADD("++"),
        /** {@code ~key} or {@code ~key=value}: delete the key. With a value, delete only on a match. */
        DELETE("~"),
        /** {@code key+=value}: append to a list; stage dialect only. */
        APPEND(""),
        /** {@code key:=value}: replace the whole value, without merging maps; stage dialect only. */
        REPLACE("");

        private final String prefix;

        Type(String prefix) {
            this.prefix = prefix;
        }

        /** Returns the characters before the key. */
        String prefix() {
            return prefix;
        }

        /** Returns the characters between key and value. */
        public String operator() {
            return this == APPEND ? "+=" : this == REPLACE ? ":=" : "=";
        }
    }

    /** True if the value represents several values. */
    public boolean isSweep() {
        return value.isPresent() && value.get() instanceof SweepValue;
    }

    /** Returns prefix, key and package as they begin an override: {@code +db@src}. */
    public String keyElement() {
        return type.prefix() + key + pkg.map(name -> "@" + name).orElse("");
    }

    /** Returns the segments of a dotted key. */
    public List<String> path() {
        return Paths.split(key);
    }

    /** True if the key contains a slash and therefore names a group. */
    public boolean namesGroup() {
        return key.indexOf('/') >= 0;
    }

    /** True for engine settings. Their keys start with {@code hydra.} or {@code hydra/}. */
    public boolean isEngineSetting() {
        return key.startsWith("hydra.") || key.startsWith("hydra/");
    }

    public Origin origin() {
        return Origin.override(position, input);
    }
}
