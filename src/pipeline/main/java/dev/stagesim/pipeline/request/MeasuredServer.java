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
import org.jspecify.annotations.Nullable;

/**
 * Settings of a measured server as defaults of the scheduler that simulates it: the size and number of its KV blocks, and
 * whether it plans steps ahead. They are read from a calibrated bundle, or else from finished measurements.
 */
final class MeasuredServer {
    private static final String SCHEDULER = "scheduler";
    private static final String VLLM = "vllm_v1";

    /** Keys of the scheduler, each with the name in a measurement. */
    private static final List<List<String>> SETTINGS = List.of(
            List.of("block_size", "block_size"),
            List.of("num_gpu_blocks_override", "num_gpu_blocks"),
            List.of("async_scheduling", "async_scheduling"));

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
        MapNode filled = config;
        for (LocatedJson server : servers()) {
            for (List<String> setting : SETTINGS) {
                List<String> key = List.of(SCHEDULER, setting.get(0));
                Optional<ScalarNode> value = isDefault(Paths.get(filled, key))
                        ? setting.stream()
                                .distinct()
                                .flatMap(name -> server.find(name).stream())
                                .flatMap(found -> value(found).stream())
                                .findFirst()
                        : Optional.empty();
                filled = value.isPresent() ? Paths.with(filled, key, value.get()) : filled;
            }
        }
        return filled;
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
    private static Optional<ScalarNode> value(LocatedJson found) {
        String text = found.isNull() || found.isObject() || found.isArray()
                ? ""
                : Json.compact(found.value()).replace("\"", "");
        Origin origin = Origin.file(found.source(), 0);
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

    private static boolean isDefault(@Nullable Node node) {
        return node == null || node.origin().equals(Origin.DEFAULT);
    }

    private Optional<String> text(List<String> key) {
        return Paths.get(config, key) instanceof ScalarNode leaf ? Optional.of(leaf.text()) : Optional.empty();
    }
}
