package dev.stagesim.config;

import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.KnownKeys;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.Problem;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The keys of a settings record, for checks of keys and values during composition.
 *
 * @param kept values of all keys that replace the defaults of the record
 * @param shorts supplies the short names of keys; called only on errors
 */
public record SchemaKeys(SettingsSchema schema, Optional<MapNode> kept, Supplier<List<String>> shorts)
        implements KnownKeys {
    private static final Supplier<List<String>> NO_SHORTS = List::of;

    public SchemaKeys(SettingsSchema schema) {
        this(schema, Optional.empty());
    }

    public SchemaKeys(SettingsSchema schema, Optional<MapNode> kept) {
        this(schema, kept, NO_SHORTS);
    }

    /**
     * Written by hand because generated record methods are linked at run time, which slows the start of every command.
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof SchemaKeys that
                && that.schema.equals(schema)
                && that.kept.equals(kept)
                && that.shorts.equals(shorts);
    }

    @Override
    public int hashCode() {
        return schema.hashCode();
    }

    @Override
    public MapNode defaults() {
        return kept.orElseGet(schema::defaults);
    }

    @Override
    public boolean accepts(List<String> path) {
        return schema.isKnown(String.join(".", path));
    }

    @Override
    public boolean isList(String path) {
        return schema.isList(path);
    }

    @Override
    public List<String> children(List<String> path) {
        return schema.children(String.join(".", path));
    }

    @Override
    public List<String> shortKeys() {
        return shorts.get();
    }

    @Override
    public List<String> named(String key) {
        return schema.named(key);
    }

    @Override
    public Optional<Problem> former(List<String> parent, String key) {
        return schema.former(String.join(".", parent), key);
    }

    @Override
    public List<Problem> wrongValues(MapNode tree, boolean composed) {
        return Binder.wrongValues(tree, schema.type(), composed);
    }
}
