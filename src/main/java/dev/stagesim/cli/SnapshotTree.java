package dev.stagesim.cli;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.SchemaKeys;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.KnownKeys;
import dev.stagesim.config.tree.MapNode;
import java.util.List;
import java.util.Optional;

/**
 * The configuration a run kept, as the base that further overrides change.
 *
 * @param kept every key of the run's settings, interpolations resolved
 * @param schema the keys there could be
 */
record SnapshotTree(MapNode kept, SchemaKeys schema) implements KnownKeys {
    /** Applies overrides of values; groups cannot be chosen, because no config files are read. */
    static MapNode with(MapNode kept, SettingsSchema schema, List<String> overrides) {
        if (overrides.isEmpty()) {
            return kept;
        }
        ComposeRequest request = new ComposeRequest(
                Optional.empty(),
                overrides,
                ComposeRequest.Mode.RUN,
                ComposeRequest.Compat.NONE,
                Optional.of(new SnapshotTree(kept, new SchemaKeys(schema))));
        return schema.complete(ConfigEngine.open(List.of()).compose(request).config());
    }

    @Override
    public MapNode defaults() {
        return kept;
    }

    @Override
    public boolean accepts(List<String> path) {
        return schema.accepts(path);
    }

    @Override
    public List<String> children(List<String> path) {
        return schema.children(path);
    }
}
