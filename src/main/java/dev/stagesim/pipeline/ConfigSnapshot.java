package dev.stagesim.pipeline;

import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.bind.KeyInfo;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The directory {@code config/} of a run, from which the run can be made again: {@code config.json} holds every key of
 * the settings, {@code invocation.json} how they were asked for.
 */
public final class ConfigSnapshot {
    static final String DIR = "config";
    private static final String CONFIG = "config.json";
    private static final String INVOCATION = "invocation.json";

    private ConfigSnapshot() {}

    /** Writes the snapshot; paths that exist are made absolute, so that it can be used from anywhere. */
    static void write(Path runDir, Plan<?> plan, int repeat, Path workDir) throws IOException {
        // not with its parents: a run that was abandoned meanwhile must not come back
        Path dir = Files.createDirectory(runDir.resolve(DIR));
        MapNode tree = plan.tree();
        for (KeyInfo key : SettingsSchema.of(plan.stage().spec().settings()).keys()) {
            if (key.isPath()) {
                tree = absolute(tree, Arrays.asList(key.path().split("\\.")), workDir);
            }
        }
        Json.write(dir.resolve(CONFIG), NodeJson.json(tree));
        RunRequest request = plan.request();
        JsonObjectBuilder choices = JsonValue.object();
        request.choices().forEach(choices::putOrNull);
        Json.write(
                dir.resolve(INVOCATION),
                JsonValue.object()
                        .put("stage", plan.name())
                        .put("repeat", repeat)
                        .putOrNull("config_name", request.configName())
                        .putOrNull("config_path", request.configPath())
                        .put("overrides", JsonValue.strings(request.overrides()))
                        .put("choices", choices.build())
                        .build());
    }

    /** Writes a changed copy of a plan's configuration as a snapshot, for a run that is yet to be made. */
    static void keep(Path dir, Plan<?> plan, Map<String, Object> changes) throws IOException {
        MapNode tree = ConfigChanges.apply(plan.tree(), changes);
        Files.createDirectories(dir);
        Json.write(dir.resolve(CONFIG), NodeJson.json(tree));
        Json.write(
                dir.resolve(INVOCATION),
                JsonValue.object()
                        .put("stage", plan.name())
                        .put("repeat", 0)
                        .putOrNull("config_name", plan.request().configName())
                        .put("config_path", JsonValue.NULL)
                        .put("overrides", JsonValue.strings(List.of()))
                        .put("choices", JsonValue.EMPTY)
                        .build());
    }

    private static MapNode absolute(MapNode tree, List<String> path, Path workDir) {
        String name = path.get(0);
        Node value = tree.get(name);
        if (path.size() > 1) {
            return value instanceof MapNode section
                    ? tree.with(name, absolute(section, path.subList(1, path.size()), workDir))
                    : tree;
        }
        return value == null ? tree : tree.with(name, absolute(value, workDir));
    }

    private static Node absolute(Node value, Path workDir) {
        if (value instanceof ListNode list) {
            return new ListNode(
                    list.items().stream().map(item -> absolute(item, workDir)).toList(), list.origin());
        }
        if (value instanceof ScalarNode leaf && leaf.value() instanceof String text) {
            Path resolved = workDir.resolve(text).toAbsolutePath().normalize();
            return Files.exists(resolved) ? ScalarNode.of(resolved.toString(), leaf.origin()) : value;
        }
        return value;
    }

    /** What a snapshot holds: the stage and the repetition it was made for, and the request that makes it again. */
    public record Snapshot(String stage, int repeat, RunRequest request) {}

    /**
     * Reads the snapshot of a run.
     *
     * @param dir the run's directory, or its {@code config/}
     * @throws StageException (input) when there is no snapshot
     */
    public static Snapshot read(Path dir) throws IOException {
        Path config = Files.isRegularFile(dir.resolve(INVOCATION)) ? dir : dir.resolve(DIR);
        if (!Files.isRegularFile(config.resolve(INVOCATION))) {
            throw StageException.input(Problem.of("artifact error", dir.toString(), "holds no config snapshot")
                    .hint("give the directory of a finished run, or the directory config/ in it"));
        }
        JsonAt invocation = Json.read(config.resolve(INVOCATION));
        Map<String, Optional<String>> choices = new LinkedHashMap<>();
        invocation
                .get("choices")
                .members()
                .forEach((group, option) ->
                        choices.put(group, option.isNull() ? Optional.empty() : Optional.of(option.asString())));
        RunRequest request = new RunRequest(
                NodeJson.node(Json.read(config.resolve(CONFIG))),
                invocation.get("overrides").asStrings(),
                choices,
                invocation.find("config_name").map(JsonAt::asString),
                invocation.find("config_path").map(JsonAt::asString),
                BindOptions.STRICT);
        return new Snapshot(
                invocation.get("stage").asString(), invocation.get("repeat").asInt(), request);
    }
}
