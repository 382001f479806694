package dev.stagesim.pipeline.request;

import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.NodeJson;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.RecordJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The directory {@code config/} of a run, which is sufficient to repeat the run. {@code config.json} contains every key
 * of the settings, and {@code invocation.json} the request.
 */
public final class ConfigSnapshot {
    public static final String DIR = "config";
    private static final String CONFIG = "config.json";
    private static final String INVOCATION = "invocation.json";

    private ConfigSnapshot() {}

    /** Writes the snapshot. Existing paths become absolute, so that the snapshot works in any directory. */
    public static void write(Path runDir, Plan<?> plan, int repeat, Path workDir) throws IOException {
        // without parent directories: a run that was abandoned concurrently must not reappear
        Path dir = Files.createDirectory(runDir.resolve(DIR));
        MapNode tree = absolute(plan.tree(), plan.stage().spec().settings(), workDir);
        RunRequest request = plan.request();
        write(
                dir,
                tree,
                new Invocation(
                        plan.name(),
                        repeat,
                        request.configName(),
                        request.configPath(),
                        request.overrides(),
                        request.choices()));
    }

    /** Writes a changed copy of a plan's configuration as the snapshot of a future run. */
    public static void keep(Path dir, Plan<?> plan, Map<String, Object> changes) throws IOException {
        Files.createDirectories(dir);
        write(
                dir,
                ConfigChanges.apply(plan.tree(), changes),
                new Invocation(plan.name(), 0, plan.request().configName(), Optional.empty(), List.of(), Map.of()));
    }

    /** The request of a configuration. */
    private record Invocation(
            String stage,
            int repeat,
            Optional<String> configName,
            Optional<String> configPath,
            List<String> overrides,
            Map<String, Optional<String>> choices) {}

    private static void write(Path dir, MapNode tree, Invocation invocation) throws IOException {
        Json.write(dir.resolve(CONFIG), NodeJson.json(tree));
        Json.write(dir.resolve(INVOCATION), RecordJson.write(invocation));
    }

    /** Returns a tree with absolute paths for existing files. */
    static MapNode absolute(MapNode tree, Class<? extends Record> settings, Path workDir) {
        return SettingsSchema.of(settings).withPaths(tree, value -> absolute(value, workDir));
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

    /** The contents of a snapshot: the stage, the repetition, and the request that repeats the run. */
    public record Snapshot(String stage, int repeat, RunRequest request) {}

    /**
     * Reads the snapshot of a run.
     *
     * @param dir the run's directory, or its {@code config/}
     * @throws StageException (input) if there is no snapshot
     */
    public static Snapshot read(Path dir) throws IOException {
        Path config = Files.isRegularFile(dir.resolve(INVOCATION)) ? dir : dir.resolve(DIR);
        if (!Files.isRegularFile(config.resolve(INVOCATION))) {
            throw StageException.input(Problem.artifact(dir.toString(), "contains no config snapshot")
                    .hint("give the directory of a finished run, or the directory config/ in it"));
        }
        Invocation invocation = JsonBinder.OWN.read(config.resolve(INVOCATION), Invocation.class);
        RunRequest request = new RunRequest(
                NodeJson.node(Json.read(config.resolve(CONFIG))),
                invocation.overrides(),
                invocation.choices(),
                invocation.configName(),
                invocation.configPath(),
                BindOptions.STRICT);
        return new Snapshot(invocation.stage(), invocation.repeat(), request);
    }
}
