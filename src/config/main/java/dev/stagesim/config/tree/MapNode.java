package dev.stagesim.config.tree;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An immutable map from names to nodes, in order of first appearance. Every change returns a new map. */
public final class MapNode implements Node {
    private static final MapNode EMPTY = new MapNode(new LinkedHashMap<>(), Origin.UNKNOWN);

    private final Map<String, Node> entries;
    private final Origin origin;

    private MapNode(Map<String, Node> entries, Origin origin) {
        this.entries = entries;
        this.origin = origin;
    }

    public static MapNode empty() {
        return EMPTY;
    }

    /** Copies {@code entries} in their order. */
    public static MapNode of(Map<String, Node> entries, Origin origin) {
        return new MapNode(new LinkedHashMap<>(entries), origin);
    }

    public @Nullable Node get(String key) {
        return entries.get(key);
    }

    public boolean has(String key) {
        return entries.containsKey(key);
    }

    public Set<String> keys() {
        return Collections.unmodifiableSet(entries.keySet());
    }

    /** Returns the entries in order, unmodifiable. */
    public Map<String, Node> entries() {
        return Collections.unmodifiableMap(entries);
    }

    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /**
     * Returns a map in which {@code key} has {@code value}. An existing key keeps its position; a new key comes last.
     */
    public MapNode with(String key, Node value) {
        Map<String, Node> copy = new LinkedHashMap<>(entries);
        copy.put(key, value);
        return new MapNode(copy, origin);
    }

    /** Returns a map without {@code key}. */
    public MapNode without(String key) {
        if (!entries.containsKey(key)) {
            return this;
        }
        Map<String, Node> copy = new LinkedHashMap<>(entries);
        copy.remove(key);
        return new MapNode(copy, origin);
    }

    @Override
    public Origin origin() {
        return origin;
    }

    /**
     * Compares keys and values, regardless of order. Origins of scalars are compared too, so prefer comparing formatted
     * text.
     */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MapNode map && entries.equals(map.entries);
    }

    @Override
    public int hashCode() {
        return entries.hashCode();
    }

    @Override
    public String toString() {
        return entries.toString();
    }
}
