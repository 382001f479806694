package dev.stagesim.config.bind;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The configuration keys of a root settings record, derived from the record by reflection.
 *
 * <p>Records are sections, sealed interfaces are sections whose key {@code kind} selects the variant, and every
 * component carries {@link dev.stagesim.model.Key}. A record that does not follow the rules is an IllegalStateException.
 */
public final class SettingsSchema {
    private static final ClassValue<SettingsSchema> CACHE = new ClassValue<>() {
        @Override
        protected SettingsSchema computeValue(Class<?> type) {
            return new SettingsSchema(ShapeReader.root(type.asSubclass(Record.class)));
        }
    };

    private final Shape.Section root;

    /** Listed when asked for, which runs do not. */
    private volatile @Nullable List<KeyInfo> keys;

    private SettingsSchema(Shape.Section root) {
        this.root = root;
    }

    /** The schema of a record; derived once per class. */
    public static SettingsSchema of(Class<? extends Record> type) {
        return CACHE.get(type);
    }

    Shape.Section shape() {
        return root;
    }

    /** The record this schema was derived from. */
    public Class<? extends Record> type() {
        return root.type();
    }

    /**
     * The tree that composition starts from: every key at its default, the marker {@code ???} where there is none, and
     * of a sealed section without default only {@code kind = ???}.
     */
    public MapNode defaults() {
        return complete(MapNode.empty());
    }

    /**
     * Returns the tree with every absent key at its default, now that kinds are known. Keys that an earlier file gave
     * for a kind that a later layer replaced are dropped. Unknown keys stay, for binding to report. Idempotent.
     */
    public MapNode complete(MapNode tree) {
        return (MapNode) SchemaDefaults.complete(tree, root);
    }

    /** Every key of every variant, in order of declaration; sections come before their keys. */
    public List<KeyInfo> keys() {
        List<KeyInfo> known = keys;
        if (known == null) {
            known = KeyLister.list(root);
            keys = known;
        }
        return known;
    }

    /**
     * The sections of a tree that have a key of this name by their record, in order of declaration; those in lists and in maps
     * of the user's are left out.
     */
    public List<List<String>> sectionsWith(String key, MapNode tree) {
        List<List<String>> found = new ArrayList<>();
        SchemaPaths.sectionsWith(key, root, tree, List.of(), found);
        return found;
    }

    /** The tree with what is made of each value of a key that holds a path or a list of paths, other than in lists and maps. */
    public MapNode withPaths(MapNode tree, UnaryOperator<Node> change) {
        return SchemaPaths.withPaths(root, tree, change);
    }

    /** Returns the values of a tree that give access to something outside of the run, also in lists and maps. */
    public List<ReachingValue> reaching(MapNode tree) {
        List<ReachingValue> found = new ArrayList<>();
        SchemaPaths.reaching(root, Resource.NONE, tree, "", found);
        return found;
    }

    /** Returns what a key gives access to; the key may be in a list or in a map. */
    public Resource access(String path) {
        return keys().stream()
                .filter(key -> key.access() != Resource.NONE && SchemaPaths.startsWith(path, key.path()))
                .map(KeyInfo::access)
                .findFirst()
                .orElse(Resource.NONE);
    }

    /** True when the path names a key of this record, of whatever variant. */
    public boolean isKnown(String path) {
        return SchemaPaths.isKnown(root, path);
    }

    /** The error about a key below {@code parent} that its record had before; empty if it never had. */
    public Optional<Problem> former(String parent, String key) {
        return SchemaPaths.formerKey(root, parent, key);
    }

    /** Names directly below a section (empty path: the root), of all variants, sorted; for shell completion. */
    public List<String> children(String path) {
        int depth = SchemaPaths.segments(path).size() + 1;
        return keys().stream()
                .map(KeyInfo::path)
                .filter(key -> SchemaPaths.segments(key).size() == depth)
                .filter(key -> path.isEmpty() || SchemaPaths.matches(key.substring(0, key.lastIndexOf('.')), path))
                .map(key -> key.substring(key.lastIndexOf('.') + 1))
                .distinct()
                .sorted()
                .toList();
    }
}
