package dev.stagesim.config;

import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.KnownKeys;
import dev.stagesim.config.tree.MapNode;
import java.util.List;

/** The keys of a settings record, as composition asks for them. */
public final class SchemaKeys implements KnownKeys {
    private final SettingsSchema schema;

    public SchemaKeys(SettingsSchema schema) {
        this.schema = schema;
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
}
