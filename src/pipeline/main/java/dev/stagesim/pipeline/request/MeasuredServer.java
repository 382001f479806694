package dev.stagesim.pipeline.request;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Settings of a measured server as defaults of the scheduler that simulates it: the size and number of its KV blocks, and
 * whether it plans steps ahead. They are read from a calibrated bundle, or else from finished measurements.
 */
final class MeasuredServer {
    private static final String SCHEDULER = "scheduler";
    private static final String VLLM = "vllm_v1";
    private static final String BLOCK_SIZE = "block_size";
    private static final String BLOCKS = "num_gpu_blocks_override";
    private static final String ASYNC = "async_scheduling";

    /** Keys with an effect on the number of blocks. */
    private static final List<List<String>> SIZING = List.of(
            List.of(SCHEDULER, "gpu_memory_utilization"),
            List.of(SCHEDULER, "free_gpu_memory_fraction"),
            List.of("cluster", "tensor_parallel_size"),
            List.of("cluster", "num_pipeline_stages"),
            List.of("cluster", "memory_gib"));

    private final MapNode config;
    private final Path work;

    private MeasuredServer(MapNode config, Path work) {
        this.config = config;
        this.work = work;
    }

    /**
     * Returns a configuration with the settings that neither the user nor a preset sets.
     *
     * @param work directory that relative paths start from
     */
    static MapNode fill(MapNode config, Path work) {
        try {
            return new MeasuredServer(config, work).filled();
        } catch (IOException | StageException unreadable) {
            return config; // the run reports problems of its inputs
        }
    }

    private MapNode filled() throws IOException {
        if (!VLLM.equals(text(List.of(SCHEDULER, "kind")).orElse(""))) {
            return config;
        }
        List<LocatedJson> servers = servers();
        MapNode filled = with(
                config,
                ASYNC,
                servers.stream()
                        .flatMap(server -> value(server, ASYNC).stream())
                        .findFirst());
        Optional<LocatedJson> cache = servers.stream()
                .filter(server -> value(server, BLOCK_SIZE).isPresent())
                .findFirst();
        if (cache.isEmpty() || !isDefault(List.of(SCHEDULER, BLOCK_SIZE)) || !isDefault(List.of(SCHEDULER, BLOCKS))) {
            return filled;
        }
        filled = with(filled, BLOCK_SIZE, value(cache.get(), BLOCK_SIZE));
        return isSizedByUser()
                ? filled
                : with(filled, BLOCKS, value(cache.get(), BLOCKS).or(() -> value(cache.get(), "num_gpu_blocks")));
    }

    private MapNode with(MapNode tree, String name, Optional<ScalarNode> value) {
        List<String> key = List.of(SCHEDULER, name);
        return value.isPresent() && isDefault(key) ? Paths.with(tree, key, value.get()) : tree;
    }

    /** Returns true if the number of blocks of the server does not apply. Models also state the type of their cache. */
    private boolean isSizedByUser() {
        Node type = Paths.get(config, List.of("model", "kv_cache"));
        return !SIZING.stream().allMatch(this::isDefault)
                || (type != null && type.origin().text() != null);
    }

    /** Returns the settings of the calibration of a bundle, and of measurements. */
    private List<LocatedJson> servers() throws IOException {
        List<LocatedJson> servers = new ArrayList<>();
        for (Path bundle : dirs(List.of("profiling", "root"))) {
            if (Files.exists(bundle.resolve("calibration.json"))) {
                read(bundle.resolve("config/config.json"))
                        .flatMap(run -> run.find(SCHEDULER))
                        .filter(scheduler -> scheduler.text("kind", "").equals(VLLM))
                        .ifPresent(servers::add);
            }
        }
        for (Path run : Stream.of(List.of("real", "dir"), List.of("calibrate", "runs"))
                .flatMap(key -> dirs(key).stream())
                .toList()) {
            read(run.resolve("measurement.json")).ifPresent(measured -> Stream.of("settings", "engine")
                    .flatMap(section -> measured.find(section).stream())
                    .forEach(servers::add));
        }
        return servers;
    }

    private static Optional<LocatedJson> read(Path file) throws IOException {
        return Files.isRegularFile(file) ? Optional.of(Json.read(file)) : Optional.empty();
    }

    /** Returns a count or a flag; empty for other values. Servers also publish them as text. */
    private static Optional<ScalarNode> value(LocatedJson server, String name) {
        Optional<LocatedJson> found = server.find(name);
        String text = found.filter(at -> !at.isObject() && !at.isArray())
                .map(at -> Json.compact(at.value()).replace("\"", ""))
                .orElse("");
        Origin origin = Origin.file(server.source(), 0);
        if (text.matches("[1-9]\\d{0,8}")) {
            return Optional.of(ScalarNode.of(Long.parseLong(text), origin));
        }
        return text.matches("true|false") ? Optional.of(ScalarNode.of(text.equals("true"), origin)) : Optional.empty();
    }

    private List<Path> dirs(List<String> key) {
        Node at = Paths.get(config, key);
        List<Node> nodes = at instanceof ListNode list ? list.items() : at == null ? List.of() : List.of(at);
        return nodes.stream()
                .filter(node -> node instanceof ScalarNode leaf && leaf.value() instanceof String)
                .map(node -> ((ScalarNode) node).text())
                .filter(text -> !text.contains("${") && !text.isEmpty())
                .map(work::resolve)
                .toList();
    }

    private boolean isDefault(List<String> key) {
        Node node = Paths.get(config, key);
        return node == null || node.origin().equals(Origin.DEFAULT);
    }

    private Optional<String> text(List<String> key) {
        return Paths.get(config, key) instanceof ScalarNode leaf ? Optional.of(leaf.text()) : Optional.empty();
    }
}
