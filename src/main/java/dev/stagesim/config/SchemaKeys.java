package dev.stagesim.config;

import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.KnownKeys;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.Problem;
import java.util.List;
import java.util.Optional;

/** The keys of a settings record, as composition asks for them; equal when the schema is the same. */
public record SchemaKeys(SettingsSchema schema) implements KnownKeys {
    /** Spelled out, as in other records that every command compares: what a record makes for it at run time takes long. */
    @Override
    public boolean equals(Object other) {
        return other instanceof SchemaKeys its && its.schema.equals(schema);
    }

    @Override
    public int hashCode() {
        return schema.hashCode();
    }

    @Override
    public MapNode defaults() {
        return schema.defaults();
    }

    @Override
    public boolean accepts(List<String> path) {
        return schema.isKnown(String.join(".", path));
    }

    @Override
    public List<String> children(List<String> path) {
        return schema.children(String.join(".", path));
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
