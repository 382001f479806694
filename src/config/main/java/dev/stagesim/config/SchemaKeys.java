package dev.stagesim.config;

import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.KnownKeys;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.Problem;
import java.util.List;
import java.util.Optional;

/** The keys of a settings record for composition. Instances are equal if their schemas are equal. */
public record SchemaKeys(SettingsSchema schema) implements KnownKeys {
    /**
     * Written by hand because generated record methods are linked at run time, which slows the start of every command.
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof SchemaKeys that && that.schema.equals(schema);
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
