package dev.stagesim.sweep.search;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The answers of a search, a line each as they come, so that an interrupted one resumes. The id of the
 * search, which names the file, follows all that an answer depends on. A line that was cut off itself counts for nothing.
 */
final class Journal implements AutoCloseable {
    /** What was asked. */
    private record Key(int candidate, double load, int seed) {}

    private final Map<Key, SortedMap<String, Double>> known = new ConcurrentHashMap<>();
    private final Writer out;

    private Journal(Path file) throws IOException {
        String text = Files.isRegularFile(file) ? InputFile.text(file) : "";
        text.lines().forEach(this::read);
        this.out = Files.newBufferedWriter(
                file, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        if (!text.isEmpty() && !text.endsWith("\n")) {
            out.write('\n');
        }
    }

    /**
     * Opens the journal of a search.
     *
     * @param cache where what is costly to make is kept
     * @param afresh forgets what earlier launches have kept
     */
    static Journal open(Path cache, String id, boolean afresh) throws IOException {
        Path file = Files.createDirectories(cache.resolve("searches")).resolve(id + ".jsonl");
        if (afresh) {
            Files.deleteIfExists(file);
        }
        return new Journal(file);
    }

    private void read(String line) {
        try {
            JsonAt at = Json.parse(line, "answer");
            SortedMap<String, Double> figures = new TreeMap<>();
            at.get("figures").members().forEach((name, value) -> figures.put(name, value.asDouble()));
            JsonAt load = at.get("load");
            known.put(
                    new Key(
                            at.get("candidate").asInt(),
                            load.isNull() ? Double.NaN : load.asDouble(),
                            at.get("seed").asInt()),
                    figures);
        } catch (StageException cut) {
            // it is asked again
        }
    }

    /** The figures of an earlier launch. */
    Optional<SortedMap<String, Double>> find(int candidate, double load, int seed) {
        return Optional.ofNullable(known.get(new Key(candidate, load, seed)));
    }

    /** Keeps an answer. */
    synchronized void add(int candidate, double load, int seed, SortedMap<String, Double> figures) {
        JsonObjectBuilder values = JsonValue.object();
        figures.forEach(values::put);
        JsonValue line = JsonValue.object()
                .put("candidate", candidate)
                .put("load", Double.isNaN(load) ? JsonValue.NULL : JsonValue.of(load))
                .put("seed", seed)
                .put("figures", values.build())
                .build();
        try {
            out.write(Json.compact(line) + "\n");
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
