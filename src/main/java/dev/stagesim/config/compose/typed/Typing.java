package dev.stagesim.config.compose.typed;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The declared types of a tree's places: a struct mounted at a path types everything below it. */
public final class Typing {
    private final Map<List<String>, Type.Struct> mounts = new LinkedHashMap<>();

    /** A copy that can gain mounts of its own. */
    public Typing copy() {
        Typing copy = new Typing();
        copy.mounts.putAll(mounts);
        return copy;
    }

    /** Declares what lies at {@code path}. */
    public void mount(List<String> path, Type.Struct type) {
        mounts.put(List.copyOf(path), type);
    }

    /** The type at {@code path}; null when nothing is declared there. */
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

    /** True when {@code path} holds a struct, whose keys are declared. */
    public boolean isStruct(List<String> path) {
        Type type = at(path);
        return type != null && bare(type) instanceof Type.Struct;
    }

    /** True when {@code path} is an entry of a map of structs: such entries cannot be created from plain maps. */
    public boolean isStructInMap(List<String> path) {
        if (path.isEmpty() || !isStruct(path)) {
            return false;
        }
        Type parent = at(path.subList(0, path.size() - 1));
        return parent != null && bare(parent) instanceof Type.MapOf;
    }

    /** Fails when the struct at {@code path} has no {@code key}. */
    public void checkKey(List<String> path, String key, Node value) {
        Type type = at(path);
        if (type != null
                && bare(type) instanceof Type.Struct struct
                && !struct.fields().containsKey(key)) {
            throw unknown(path, key, struct, value.origin());
        }
    }

    private static StageException unknown(List<String> path, String key, Type.Struct struct, Origin origin) {
        List<String> full = new ArrayList<>(path);
        full.add(key);
        return StageException.input(
                Problem.of("config error", String.join(".", full), "key '" + key + "' not in '" + struct.name() + "'")
                        .from(origin.describe())
                        .didYouMean(Suggest.near(key, struct.fields().keySet())));
    }

    /** Converts a value to the type declared at {@code path}; what is not declared stays. */
    public Node convert(List<String> path, Node value) {
        Type type = at(path);
        return type == null ? value : convert(type, path, value);
    }

    private static Node convert(Type type, List<String> path, Node value) {
        if (value instanceof ScalarNode leaf && (leaf.isMissing() || leaf.isInterpolation())) {
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
            throw wrong(path, value, "expected a map");
        }
        Map<String, Node> entries = new LinkedHashMap<>(struct.defaults().entries());
        map.entries().forEach((key, node) -> {
            Type field = struct.fields().get(key);
            if (field == null) {
                throw unknown(path, key, struct, node.origin());
            }
            entries.put(key, convert(field, child(path, key), node));
        });
        return MapNode.of(entries, map.origin());
    }

    private static Node list(Type.ListOf type, List<String> path, Node value) {
        if (!(value instanceof ListNode list)) {
            throw wrong(path, value, "expected a list");
        }
        List<Node> items = new ArrayList<>();
        for (Node item : list.items()) {
            items.add(convert(type.item(), child(path, String.valueOf(items.size())), item));
        }
        return new ListNode(items, list.origin());
    }

    private static Node map(Type.MapOf type, List<String> path, Node value) {
        if (!(value instanceof MapNode map)) {
            throw wrong(path, value, "expected a map");
        }
        Map<String, Node> entries = new LinkedHashMap<>();
        map.entries().forEach((key, node) -> entries.put(key, convert(type.value(), child(path, key), node)));
        return MapNode.of(entries, map.origin());
    }

    private static List<String> child(List<String> path, String key) {
        List<String> child = new ArrayList<>(path);
        child.add(key);
        return child;
    }

    private static StageException wrong(List<String> path, Node value, String what) {
        return StageException.input(Problem.of("config error", String.join(".", path), what)
                .from(value.origin().describe()));
    }
}
