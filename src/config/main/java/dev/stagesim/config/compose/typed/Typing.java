package dev.stagesim.config.compose.typed;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The declared types of a tree. A struct that is mounted at a path defines the types of all values below it. */
public final class Typing {
    private final Map<List<String>, Type.Struct> mounts = new LinkedHashMap<>();

    /** Throws if {@code type} conflicts with the type declared at {@code path}. */
    public void checkMount(List<String> path, Type.Struct type, Origin origin) {
        Type declared = at(path);
        if (declared == null || declared == Type.Leaf.ANY) {
            return;
        }
        Type bare = bare(declared);
        if (bare instanceof Type.Struct struct && !struct.name().equals(type.name())) {
            throw notA(struct, path, "a " + type.name(), origin);
        }
        if (bare instanceof Type.ListOf) {
            throw wrong(path, MapNode.of(Map.of(), origin), "cannot merge a map with a list");
        }
        if (!(bare instanceof Type.Struct)) {
            convert(bare, path, MapNode.of(type.defaults().entries(), origin));
        }
    }

    /** Declares {@code type} for the tree at {@code path}. */
    public void mount(List<String> path, Type.Struct type) {
        mounts.put(List.copyOf(path), type);
    }

    /** Returns the type declared at {@code path}, or null if there is none. */
    public @Nullable Type at(List<String> path) {
        for (int length = path.size(); length >= 0; length--) {
            Type type = mounts.get(path.subList(0, length));
            if (type != null) {
                return descend(type, path.subList(length, path.size()));
            }
        }
        return null;
    }

    private static @Nullable Type descend(Type from, List<String> path) {
        Type type = from;
        for (String key : path) {
            Type bare = bare(type);
            Type next = null;
            if (bare instanceof Type.Struct struct) {
                next = struct.fields().get(key);
            } else if (bare instanceof Type.MapOf map) {
                next = map.value();
            } else if (bare instanceof Type.ListOf list) {
                next = list.item();
            }
            if (next == null) {
                return null;
            }
            type = next;
        }
        return type;
    }

    private static Type bare(Type type) {
        return type instanceof Type.Optional optional ? optional.type() : type;
    }

    /** True if {@code path} is declared as a struct. A struct has declared keys. */
    public boolean isStruct(List<String> path) {
        Type type = at(path);
        return type != null && bare(type) instanceof Type.Struct;
    }

    /** True if {@code path} is an entry of a map of structs. Plain maps cannot create such entries. */
    public boolean isStructInMap(List<String> path) {
        if (path.isEmpty() || !isStruct(path)) {
            return false;
        }
        Type parent = at(path.subList(0, path.size() - 1));
        return parent != null && bare(parent) instanceof Type.MapOf;
    }

    /** True if {@code path} is declared as a list. */
    public boolean isList(List<String> path) {
        Type type = at(path);
        return type != null && bare(type) instanceof Type.ListOf;
    }

    /** True if {@code path} is declared as a map or a struct. */
    public boolean isMap(List<String> path) {
        Type type = at(path);
        return type != null && (bare(type) instanceof Type.MapOf || bare(type) instanceof Type.Struct);
    }

    /** Throws if a segment of a dotted path cannot be a key of the map at {@code path}. Segments are text. */
    public void checkSegment(List<String> path, String key, Origin origin) {
        Type type = at(path);
        if (type != null && bare(type) instanceof Type.MapOf map && map.key() != Type.Leaf.STR) {
            throw badKey(map, path, key, origin);
        }
    }

    /**
     * Throws if {@code value} cannot be an element of the list at {@code path}. The length of the list is not checked.
     */
    public void checkElement(List<String> path, Node value) {
        Type type = at(path);
        if (type == null || !(bare(type) instanceof Type.ListOf list)) {
            return;
        }
        boolean none = value instanceof ScalarNode leaf && leaf.isNull();
        if (none && !(list.item() instanceof Type.Optional) && list.item() != Type.Leaf.ANY) {
            throw notA(list.item(), path, "null", value.origin());
        }
        if (!none && bare(list.item()) instanceof Type.Struct struct && !isOpen(value)) {
            throw notA(struct, path, shown(value), value.origin());
        }
    }

    /**
     * Returns the empty map that replaces a leaf or an absent value at {@code path}, so that a key below it can be set.
     */
    public MapNode opened(List<String> path, boolean absent, Origin origin) {
        MapNode empty = MapNode.of(Map.of(), origin);
        Type type = at(path);
        if (type == null || isStructInMap(path)) {
            if (type != null) {
                throw plainMap(path, origin);
            }
            return empty;
        }
        if (!absent && bare(type) instanceof Type.Struct) {
            throw plainMap(path, origin);
        }
        return (MapNode) convert(bare(type), path, empty);
    }

    /** Returns the error for a plain map where a struct is required. */
    public StageException plainMap(List<String> path, Origin origin) {
        return notA(bare(Objects.requireNonNull(at(path))), path, "a plain map", origin);
    }

    /** Throws if a file sets the struct at {@code path} to a list. */
    public void checkList(List<String> path, Node list) {
        if (isStruct(path)) {
            throw notA(bare(Objects.requireNonNull(at(path))), path, "a list", list.origin());
        }
    }

    private static boolean isOpen(Node value) {
        return value instanceof ScalarNode leaf && (leaf.isMissing() || leaf.isInterpolation());
    }

    /** Throws if a literal key cannot be a key of the map at {@code path}. The key is text unless {@code typed}. */
    public void checkKey(List<String> path, String key, boolean typed, Origin origin) {
        Type type = at(path);
        if (type != null
                && bare(type) instanceof Type.MapOf map
                && (typed == (map.key() == Type.Leaf.STR) || !isKey(map.key(), key))) {
            throw badKey(map, path, key, origin);
        }
    }

    private static StageException badKey(Type.MapOf map, List<String> path, String key, Origin origin) {
        return StageException.input(
                Problem.config(String.join(".", Paths.child(path, key)), "key '" + key + "' is no " + map.key())
                        .from(origin.describe()));
    }

    private static StageException notA(Type type, List<String> path, String found, Origin origin) {
        return StageException.input(Problem.config(String.join(".", path), found + " is not a " + type)
                .from(origin.describe()));
    }

    private static String shown(Node value) {
        return value instanceof MapNode
                ? "a plain map"
                : value instanceof ScalarNode leaf ? "'" + leaf.text() + "'" : "a list";
    }

    /** Throws if the map or struct at {@code path} cannot have {@code key}. */
    public void checkKey(List<String> path, String key, Node value) {
        Type type = at(path);
        if (type != null && bare(type) instanceof Type.MapOf map && !isKey(map.key(), key)) {
            throw badKey(map, path, key, value.origin());
        }
        if (type != null
                && bare(type) instanceof Type.Struct struct
                && !struct.fields().containsKey(key)) {
            throw unknown(path, key, struct, value.origin());
        }
    }

    /** Keys are text, so a text that reads as a number or a boolean is a key of that type. */
    private static boolean isKey(Type type, String key) {
        return type == Type.Leaf.STR
                || type == Type.Leaf.ANY
                || (type == Type.Leaf.BOOL
                        ? key.equals("true") || key.equals("false")
                        : LeafConversion.convert(type, ScalarNode.of(key, Origin.UNKNOWN)) != null);
    }

    private static StageException unknown(List<String> path, String key, Type.Struct struct, Origin origin) {
        List<String> full = new ArrayList<>(path);
        full.add(key);
        return StageException.input(
                Problem.config(String.join(".", full), "key '" + key + "' not in '" + struct.name() + "'")
                        .from(origin.describe())
                        .didYouMean(Suggest.near(key, struct.fields().keySet())));
    }

    /** Converts a value to the type declared at {@code path}. Values without a declared type are not changed. */
    public Node convert(List<String> path, Node value) {
        Type type = at(path);
        return type == null ? value : convert(type, path, value);
    }

    private static Node convert(Type type, List<String> path, Node value) {
        if (isOpen(value)) {
            return value;
        }
        if (type instanceof Type.Optional optional) {
            return value instanceof ScalarNode none && none.isNull() ? value : convert(optional.type(), path, value);
        }
        if (type == Type.Leaf.ANY) {
            return value;
        }
        if (value instanceof ScalarNode none && none.isNull()) {
            throw wrong(path, value, "is not optional, found null");
        }
        if (type instanceof Type.Struct struct) {
            return struct(struct, path, value);
        }
        if (type instanceof Type.ListOf list) {
            return list(list, path, value);
        }
        if (type instanceof Type.MapOf map) {
            return map(map, path, value);
        }
        if (value instanceof ScalarNode leaf) {
            ScalarNode converted = LeafConversion.convert(type, leaf);
            if (converted != null) {
                return converted;
            }
            throw wrong(path, value, "cannot convert '" + leaf.text() + "' to " + type);
        }
        throw wrong(path, value, "cannot convert a " + (value instanceof MapNode ? "map" : "list") + " to " + type);
    }

    private static Node struct(Type.Struct struct, List<String> path, Node value) {
        if (!(value instanceof MapNode map)) {
            throw notA(struct, path, shown(value), value.origin());
        }
        Map<String, Node> entries = new LinkedHashMap<>(struct.defaults().entries());
        map.entries().forEach((key, node) -> {
            Type field = struct.fields().get(key);
            if (field == null) {
                throw unknown(path, key, struct, node.origin());
            }
            entries.put(key, convert(field, Paths.child(path, key), node));
        });
        return MapNode.of(entries, map.origin());
    }

    private static Node list(Type.ListOf type, List<String> path, Node value) {
        if (!(value instanceof ListNode list)) {
            throw wrong(path, value, "expected a list");
        }
        List<Node> items = new ArrayList<>();
        for (Node item : list.items()) {
            if (item instanceof ScalarNode none && none.isNull() && !(type.item() instanceof Type.Optional)) {
                if (type.item() != Type.Leaf.ANY) {
                    throw notA(type.item(), Paths.child(path, String.valueOf(items.size())), "null", item.origin());
                }
            }
            items.add(convert(type.item(), Paths.child(path, String.valueOf(items.size())), item));
        }
        return new ListNode(items, list.origin());
    }

    private static Node map(Type.MapOf type, List<String> path, Node value) {
        if (!(value instanceof MapNode map)) {
            throw wrong(path, value, "expected a map");
        }
        Map<String, Node> entries = new LinkedHashMap<>();
        map.entries().forEach((key, node) -> {
            if (!isKey(type.key(), key)) {
                throw badKey(type, path, key, node.origin());
            }
            entries.put(key, convert(type.value(), Paths.child(path, key), node));
        });
        return MapNode.of(entries, map.origin());
    }

    private static StageException wrong(List<String> path, Node value, String what) {
        return StageException.input(
                Problem.config(String.join(".", path), what).from(value.origin().describe()));
    }
}
