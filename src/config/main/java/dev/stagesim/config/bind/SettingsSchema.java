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
 * The configuration keys of a root settings record, derived by reflection.
 *
 * <p>Records are sections. Sealed interfaces are sections with a variant, selected by the key {@code kind}. Every
 * component has a {@link dev.stagesim.model.Key} annotation. A record that violates these rules causes an
 * IllegalStateException.
 */
public final class SettingsSchema {
    private static final ClassValue<SettingsSchema> CACHE = new ClassValue<>() {
        @Override
        protected SettingsSchema computeValue(Class<?> type) {
            return new SettingsSchema(ShapeReader.root(type.asSubclass(Record.class)));
        }
    };

    private final Shape.Section root;

    /** Computed on first use; runs do not need the list. */
    private volatile @Nullable List<KeyInfo> keys;

    private SettingsSchema(Shape.Section root) {
        this.root = root;
    }

    /** Returns the schema of a record. It is derived once per class. */
    public static SettingsSchema of(Class<? extends Record> type) {
        return CACHE.get(type);
    }

    Shape.Section shape() {
        return root;
    }

    /** Returns the record of this schema. */
    public Class<? extends Record> type() {
        return root.type();
    }

    /**
     * Returns the tree that composition starts from: every key with its default, or {@code ???} if it has none. A
     * sealed section without a default contains only {@code kind = ???}.
     */
    public MapNode defaults() {
        return complete(MapNode.empty());
    }

    /**
     * Returns the tree with the default of every absent key. All kinds must be known. Keys that an earlier file set for
     * a replaced kind are removed. Unknown keys remain, so that binding reports them. Idempotent.
     */
    public MapNode complete(MapNode tree) {
        return (MapNode) SchemaDefaults.complete(tree, root);
    }

    /** Returns every key of every variant, in order of declaration. A section comes before its keys. */
    public List<KeyInfo> keys() {
        List<KeyInfo> known = keys;
        if (known == null) {
            known = KeyLister.list(root);
            keys = known;
        }
        return known;
    }

    /**
     * Returns the sections of a tree whose records have this key, in order of declaration. Sections in lists and in
     * maps with free keys are skipped.
     */
    public List<List<String>> sectionsWith(String key, MapNode tree) {
        List<List<String>> found = new ArrayList<>();
        SchemaPaths.sectionsWith(key, root, tree, List.of(), found);
        return found;
    }

    /**
     * Returns the tree with {@code change} applied to each value of type path or list of paths. Lists and maps with
     * free keys are skipped.
     */
    public MapNode withPaths(MapNode tree, UnaryOperator<Node> change) {
        return SchemaPaths.withPaths(root, tree, change);
    }

    /**
     * Returns the values of a tree that give access to resources outside the run, including values in lists and maps.
     */
    public List<ReachingValue> reaching(MapNode tree) {
        List<ReachingValue> found = new ArrayList<>();
        SchemaPaths.reaching(root, Resource.NONE, tree, "", found);
        return found;
    }

    /** Returns the resource that a key gives access to. The key may be in a list or in a map. */
    public Resource access(String path) {
        return keys().stream()
                .filter(key -> key.access() != Resource.NONE && SchemaPaths.startsWith(path, key.path()))
                .map(KeyInfo::access)
                .findFirst()
                .orElse(Resource.NONE);
    }

    /** True if the path is a key of this record, in any variant. */
    public boolean isKnown(String path) {
        return SchemaPaths.isKnown(root, path);
    }

    /** True if the key takes a list, in any variant. */
    public boolean isList(String path) {
        return SchemaPaths.isList(root, SchemaPaths.segments(path));
    }

    /** Returns the error for a former key below {@code parent}; empty if the key never existed. */
    public Optional<Problem> former(String parent, String key) {
        return SchemaPaths.formerKey(root, parent, key);
    }

    /** Returns the paths of keys with this name in all sections, in order of declaration. */
    public List<String> named(String key) {
        return KeyLister.named(keys(), key);
    }

    /**
     * Returns the names directly below a section, of all variants, sorted; for shell completion. The empty path is the
     * root.
     */
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
