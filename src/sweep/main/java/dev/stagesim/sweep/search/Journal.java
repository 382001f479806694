package dev.stagesim.sweep.search;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import java.io.IOException;
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
 * The results of a search, one line per simulation, so that an interrupted search resumes. The file is named after the
 * id of the search, which depends on all inputs of the results. An incomplete line is ignored.
 */
final class Journal implements AutoCloseable {
    /** The key of a simulation. */
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
     * @param cache directory of values that are expensive to compute
     * @param discard true to discard the results of earlier launches
     */
    static Journal open(Path cache, String id, boolean discard) throws IOException {
        Path file = Files.createDirectories(cache.resolve("searches")).resolve(id + ".jsonl");
        if (discard) {
            Files.deleteIfExists(file);
        }
        return new Journal(file);
    }

    private void read(String line) {
        try {
            LocatedJson at = Json.parse(line, "answer");
            SortedMap<String, Double> figures = new TreeMap<>();
            at.get("figures").members().forEach((name, value) -> figures.put(name, value.asDouble()));
            LocatedJson load = at.get("load");
            known.put(
                    new Key(
                            at.get("candidate").asInt(),
                            load.isNull() ? Double.NaN : load.asDouble(),
                            at.get("seed").asInt()),
                    figures);
        } catch (StageException cut) {
            // the simulation is repeated
        }
    }

    /** Returns the metrics from an earlier launch. */
    Optional<SortedMap<String, Double>> find(int candidate, double load, int seed) {
        return Optional.ofNullable(known.get(new Key(candidate, load, seed)));
    }

    /** Records a result. */
    synchronized void add(int candidate, double load, int seed, SortedMap<String, Double> figures) {
        JsonObjectBuilder values = JsonValue.object();
        figures.forEach(values::put);
        JsonValue line = JsonValue.object()
                .put("candidate", candidate)
                .put("load", Double.isNaN(load) ? JsonValue.NULL : JsonValue.of(load))
                .put("seed", seed)
                .put("figures", values.build())
                .build();
        Unchecked.run(() -> {
            out.write(Json.compact(line) + "\n");
            out.flush();
        });
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
