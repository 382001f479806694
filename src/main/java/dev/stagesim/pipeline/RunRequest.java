package dev.stagesim.pipeline;

import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.NodeJson;
import dev.stagesim.io.json.JsonValue;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The composed configuration of one job and how it came about.
 *
 * @param config the tree, interpolations resolved
 * @param overrides the overrides as typed
 * @param choices the option chosen for each group; empty for none
 * @param configName the primary config; empty for none
 * @param configPath where the configs are, as the user would name it
 * @param bindOptions how to bind the tree; knows the options of config groups
 */
public record RunRequest(
        MapNode config,
        List<String> overrides,
        Map<String, Optional<String>> choices,
        Optional<String> configName,
        Optional<String> configPath,
        BindOptions bindOptions) {
    public RunRequest {
        overrides = List.copyOf(overrides);
        choices = Collections.unmodifiableMap(new LinkedHashMap<>(choices));
    }

    /** The same with other values of some keys: text, numbers or booleans by dotted key. */
    public RunRequest with(Map<String, Object> changes) {
        return new RunRequest(
                ConfigChanges.apply(config, changes), overrides, choices, configName, configPath, bindOptions);
    }

    /** The same with files of the settings named in full that are below a directory. */
    public RunRequest withFilesFrom(Path dir, Class<? extends Record> settings) {
        return new RunRequest(
                ConfigSnapshot.absolute(config, settings, dir),
                overrides,
                choices,
                configName,
                configPath,
                bindOptions);
    }

    /** The tree as JSON. */
    public JsonValue.Obj json() {
        return NodeJson.json(config);
    }

    /** A request of which only the tree and the overrides are known. */
    public static RunRequest of(MapNode config, List<String> overrides) {
        return new RunRequest(config, overrides, Map.of(), Optional.empty(), Optional.empty(), BindOptions.STRICT);
    }
}
