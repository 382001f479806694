package dev.stagesim.stage.fabric;

import dev.stagesim.io.digest.Sha256;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.capacity.ReplicaRun.Service;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Simulated services by the digest of their question, kept as they come: a search that was cut off goes on where it
 * stopped, and searches that overlap share what they have in common.
 */
final class Evaluations {
    /** Raised whenever the same question has another answer. */
    private static final int VERSION = 1;

    private static final int FOLDER = 2;
    private static final int SHOWN = 12;

    private final Optional<Path> folder;
    private final Map<String, Service> known = new ConcurrentHashMap<>();
    private final Map<String, JsonValue> asked = new ConcurrentHashMap<>();
    private final AtomicInteger reused = new AtomicInteger();

    Evaluations(Optional<Path> cache) {
        this.folder = cache.map(path -> path.resolve("fabric"));
    }

    /** The answer to a question: known, kept by an earlier run, or worked out now. */
    Service answer(JsonValue.Obj question, Supplier<Service> work) {
        String id = id(question);
        Service before = known.get(id);
        if (before != null) {
            return before;
        }
        Optional<Service> kept = folder.flatMap(path -> read(file(path, id)));
        kept.ifPresent(service -> reused.incrementAndGet());
        Service service = kept.orElseGet(() -> {
            Service worked = work.get();
            folder.ifPresent(path -> write(file(path, id), worked));
            return worked;
        });
        known.put(id, service);
        asked.put(id, question);
        return service;
    }

    static String id(JsonValue.Obj question) {
        String text = Json.compact(question.with("version", JsonValue.of((long) VERSION)));
        return Sha256.hex(text);
    }

    /** Where a run keeps the answer to a question. */
    static String link(JsonValue.Obj question) {
        return "evaluations/" + shown(id(question)) + ".json";
    }

    /** The digits by which reports name an evaluation. */
    static String shown(String id) {
        return id.substring(0, SHOWN);
    }

    /** All questions answered so far, by id. */
    SortedMap<String, JsonValue> asked() {
        return new TreeMap<>(asked);
    }

    Service known(String id) {
        Service service = known.get(id);
        if (service == null) {
            throw new IllegalStateException("no evaluation " + id);
        }
        return service;
    }

    int size() {
        return known.size();
    }

    /** Answers that an earlier run had kept. */
    int reused() {
        return reused.get();
    }

    private static Path file(Path folder, String id) {
        return folder.resolve(id.substring(0, FOLDER)).resolve(id.substring(FOLDER) + ".json");
    }

    private static Optional<Service> read(Path file) {
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try {
            JsonAt at = Json.read(file);
            return Optional.of(new Service(
                    at.get("finished").asBool(),
                    at.get("requests_per_second").asDouble(),
                    at.get("p50_ttft_ms").asDouble(),
                    at.get("p99_ttft_ms").asDouble(),
                    at.get("p50_tpot_ms").asDouble(),
                    at.get("p99_tpot_ms").asDouble(),
                    at.get("p99_e2e_ms").asDouble()));
        } catch (IOException | StageException damaged) {
            return Optional.empty();
        }
    }

    static JsonValue.Obj json(Service service) {
        return JsonValue.object()
                .put("finished", service.finished())
                .put("requests_per_second", service.requestsPerSecond())
                .put("p50_ttft_ms", service.p50TtftMs())
                .put("p99_ttft_ms", service.p99TtftMs())
                .put("p50_tpot_ms", service.p50TpotMs())
                .put("p99_tpot_ms", service.p99TpotMs())
                .put("p99_e2e_ms", service.p99E2eMs())
                .build();
    }

    private static void write(Path file, Service service) {
        try {
            Path parent = file.getParent();
            Files.createDirectories(parent);
            Path partial = Files.createTempFile(parent, "evaluation", ".partial");
            Json.write(partial, json(service));
            Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
