package dev.stagesim.feature.fabric.performance;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.digest.Sha256;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Cache of simulations by the digest of their inputs. Results are stored immediately, so an interrupted search resumes
 * and overlapping searches share results.
 */
public final class Evaluations {
    /** Version of the results; increased when a simulation changes. */
    private static final int VERSION = 1;

    private static final int PREFIX_LENGTH = 2;
    private static final int SHORT_ID_LENGTH = 12;

    private final Optional<Path> folder;
    private final Map<String, Record> known = new ConcurrentHashMap<>();
    private final Map<String, Evaluation> evaluations = new ConcurrentHashMap<>();
    private final AtomicInteger reused = new AtomicInteger();

    public Evaluations(Optional<Path> cache) {
        this.folder = cache.map(path -> path.resolve("fabric"));
    }

    /**
     * JSON codec of a result type.
     *
     * @param read parses a result, or throws a {@link StageException} if the file is damaged
     */
    record JsonForm<T extends Record>(Class<T> type, Function<LocatedJson, T> read, Function<T, JsonValue.Obj> write) {}

    /** The inputs and the result of a simulation, as stored in a run. */
    public record Evaluation(JsonValue.Obj question, JsonValue.Obj answer) {}

    /** Returns a result from memory or the cache directory; otherwise computes it. */
    <T extends Record> T answer(JsonValue.Obj question, JsonForm<T> form, Supplier<T> work) {
        String id = id(question);
        Record cached = known.get(id);
        if (cached != null) {
            return form.type().cast(cached);
        }
        Optional<T> stored = folder.flatMap(path -> read(file(path, id), form));
        stored.ifPresent(answer -> reused.incrementAndGet());
        T answer = stored.orElseGet(() -> {
            T computed = work.get();
            folder.ifPresent(path -> write(file(path, id), form.write().apply(computed)));
            return computed;
        });
        known.put(id, answer);
        evaluations.put(id, new Evaluation(question, form.write().apply(answer)));
        return answer;
    }

    static String id(JsonValue.Obj question) {
        String text = Json.compact(question.with("version", JsonValue.of((long) VERSION)));
        return Sha256.hex(text);
    }

    /** Returns the path of a result in a run. */
    static String link(JsonValue.Obj question) {
        return "evaluations/" + shortId(id(question)) + ".json";
    }

    /** Returns the digits that identify an evaluation in reports. */
    public static String shortId(String id) {
        return id.substring(0, SHORT_ID_LENGTH);
    }

    /** Returns all evaluations of this run, by id. */
    public SortedMap<String, Evaluation> all() {
        return new TreeMap<>(evaluations);
    }

    public int size() {
        return known.size();
    }

    /** Returns the number of results from earlier runs. */
    public int reused() {
        return reused.get();
    }

    private static Path file(Path folder, String id) {
        return folder.resolve(id.substring(0, PREFIX_LENGTH)).resolve(id.substring(PREFIX_LENGTH) + ".json");
    }

    private static <T extends Record> Optional<T> read(Path file, JsonForm<T> form) {
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(form.read().apply(Json.read(file)));
        } catch (IOException | StageException damaged) {
            return Optional.empty();
        }
    }

    private static void write(Path file, JsonValue.Obj answer) {
        Unchecked.run(() -> {
            Path parent = Files.createDirectories(file.getParent());
            Path partial = Files.createTempFile(parent, "evaluation", ".partial");
            Json.write(partial, answer);
            Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        });
    }
}
