package dev.stagesim.pipeline.request;

import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.NodeJson;
import dev.stagesim.io.json.JsonValue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The composed configuration of one job and the inputs of the composition.
 *
 * @param config the tree with resolved interpolations
 * @param overrides the overrides as typed
 * @param choices the option chosen for each group; empty for none
 * @param configName the primary config; empty for none
 * @param configPath directory of the configs, as the user would name it
 * @param bindOptions options of the binder, with the options of config groups
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

    /** Returns this request with other values of some keys: text, numbers or booleans by dotted key. */
    public RunRequest with(Map<String, Object> changes) {
        List<String> changed = new ArrayList<>(overrides);
        changes.forEach((key, value) -> changed.add(key + "=" + value));
        return new RunRequest(
                ConfigChanges.apply(config, changes), changed, choices, configName, configPath, bindOptions);
    }

    /** Returns true if an override sets a key or a part of it. */
    public boolean isSet(String key) {
        return overrides.stream().anyMatch(override -> {
            String set = Sections.key(override);
            boolean isWhole = key.startsWith(set + ".") && override.contains("={");
            return isWhole || set.equals(key) || set.startsWith(key + ".");
        });
    }

    /** Returns this request with absolute paths for files below a directory. */
    public RunRequest withFilesFrom(Path dir, Class<? extends Record> settings) {
        return new RunRequest(
                ConfigSnapshot.absolute(config, settings, dir),
                overrides,
                choices,
                configName,
                configPath,
                bindOptions);
    }

    /** Returns the tree as JSON. */
    public JsonValue.Obj json() {
        return NodeJson.json(config);
    }

    /** Returns a request with only a tree and overrides. */
    public static RunRequest of(MapNode config, List<String> overrides) {
        return new RunRequest(config, overrides, Map.of(), Optional.empty(), Optional.empty(), BindOptions.STRICT);
    }
}
