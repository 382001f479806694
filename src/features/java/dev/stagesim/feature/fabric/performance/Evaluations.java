package dev.stagesim.feature.fabric.performance;

import dev.stagesim.io.digest.Sha256;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
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
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What was simulated, by the digest of the question, kept as it comes: an interrupted search resumes,
 * and searches that overlap share what they have in common.
 */
public final class Evaluations {
    /** Raised whenever the same question has another answer. */
    private static final int VERSION = 1;

    private static final int FOLDER = 2;
    private static final int SHOWN = 12;

    private final Optional<Path> folder;
    private final Map<String, Record> known = new ConcurrentHashMap<>();
    private final Map<String, Evaluation> asked = new ConcurrentHashMap<>();
    private final AtomicInteger reused = new AtomicInteger();

    public Evaluations(Optional<Path> cache) {
        this.folder = cache.map(path -> path.resolve("fabric"));
    }

    /**
     * Answers of one sort as JSON.
     *
     * @param read takes an answer from a file, or throws a {@link StageException} where it is none
     */
    record JsonForm<T extends Record>(Class<T> type, Function<LocatedJson, T> read, Function<T, JsonValue.Obj> write) {}

    /** A question and its answer, as a run keeps them. */
    public record Evaluation(JsonValue.Obj question, JsonValue.Obj answer) {}

    /** The answer to a question: known, kept by an earlier run, or worked out now. */
    <T extends Record> T answer(JsonValue.Obj question, JsonForm<T> form, Supplier<T> work) {
        String id = id(question);
        Record before = known.get(id);
        if (before != null) {
            return form.type().cast(before);
        }
        Optional<T> kept = folder.flatMap(path -> read(file(path, id), form));
        kept.ifPresent(answer -> reused.incrementAndGet());
        T answer = kept.orElseGet(() -> {
            T worked = work.get();
            folder.ifPresent(path -> write(file(path, id), form.write().apply(worked)));
            return worked;
        });
        known.put(id, answer);
        asked.put(id, new Evaluation(question, form.write().apply(answer)));
        return answer;
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
    public static String shown(String id) {
        return id.substring(0, SHOWN);
    }

    /** All questions answered so far, by id. */
    public SortedMap<String, Evaluation> asked() {
        return new TreeMap<>(asked);
    }

    public int size() {
        return known.size();
    }

    /** Answers that an earlier run had kept. */
    public int reused() {
        return reused.get();
    }

    private static Path file(Path folder, String id) {
        return folder.resolve(id.substring(0, FOLDER)).resolve(id.substring(FOLDER) + ".json");
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
        try {
            Path parent = file.getParent();
            Files.createDirectories(parent);
            Path partial = Files.createTempFile(parent, "evaluation", ".partial");
            Json.write(partial, answer);
            Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
