package dev.stagesim.config.compose.source;

import dev.stagesim.config.compose.typed.TypeReader;
import dev.stagesim.config.compose.typed.TypedConfig;
import dev.stagesim.config.hocon.ConfigFile;
import dev.stagesim.config.hocon.ConfigFileReader;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The engine's settings: the {@code hydra} node, its groups, and the types of its keys. */
public final class EngineConfigs {
    /** The config with the engine's settings. */
    public static final String ROOT = "hydra/config";

    /** The config that is used if no primary config is named. */
    public static final String EMPTY = "_empty_";

    public static final String NODE = "hydra";

    /** Shared instance: the text never changes. */
    private static final EngineConfigs INSTANCE = new EngineConfigs();

    public final TreeSource source;
    public final TypedConfig settings;

    private EngineConfigs() {
        MapNode resource =
                ConfigFileReader.parseValid(EngineText.TEXT, "engine.conf").body();
        settings = new TypeReader((MapNode) Objects.requireNonNull(resource.get("types"))).config(ROOT, "HydraConf");
        Map<String, ConfigFile> configs = new LinkedHashMap<>();
        configs.put(EMPTY, ConfigFile.of(EMPTY, MapNode.empty()));
        MapNode groups = (MapNode) Objects.requireNonNull(resource.get("groups"));
        groups.entries().forEach((path, body) -> configs.put(path, ConfigFile.of("engine:" + path, (MapNode) body)));
        Optional<Node> defaults = Optional.ofNullable(resource.get("list"));
        configs.put(
                ROOT,
                ConfigFile.of("engine:" + ROOT, settings.type().defaults()).withDefaults(defaults));
        source = new TreeSource(new SearchRoot("engine", Path.of("built-in")), configs);
    }

    public static EngineConfigs get() {
        return INSTANCE;
    }
}
