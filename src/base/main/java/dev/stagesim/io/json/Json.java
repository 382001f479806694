package dev.stagesim.io.json;

import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.model.Problem;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Reads and writes JSON files. The written bytes depend only on the value. */
public final class Json {
    private Json() {}

    /** Reads a file with one value. Malformed or missing files are input errors. */
    public static LocatedJson read(Path file) throws IOException {
        return read(file, JsonMode.STRICT);
    }

    public static LocatedJson read(Path file, JsonMode mode) throws IOException {
        try (JsonDocuments documents = JsonDocuments.open(file, mode)) {
            return documents.single();
        }
    }

    /** Reads all values of a file with several concatenated values. */
    public static List<LocatedJson> readAll(Path file, JsonMode mode) throws IOException {
        try (JsonDocuments documents = JsonDocuments.open(file, mode)) {
            return documents.rest();
        }
    }

    /** Streams the values of a JSON-lines file. */
    public static JsonDocuments stream(Path file, JsonMode mode) throws IOException {
        return JsonDocuments.open(file, mode);
    }

    /** Streams the values of a text. */
    public static JsonDocuments stream(InputStream in, String source, JsonMode mode) throws IOException {
        return JsonDocuments.open(in, source, mode);
    }

    public static LocatedJson parse(String text, String source) {
        try (JsonDocuments documents = JsonDocuments.open(text, source, JsonMode.STRICT)) {
            return documents.single();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Canonical text: sorted keys, 2-space indent, shortest doubles, final newline. */
    public static String pretty(JsonValue value) {
        return JsonText.pretty(value);
    }

    /** Returns a JSON string with its quotes. Control characters and lone surrogates are escaped. */
    public static String quoted(String text) {
        return JsonText.quoted(text);
    }

    /** Canonical text on one line, without final newline: for JSON lines and digests. */
    public static String compact(JsonValue value) {
        return JsonText.compact(value);
    }

    /**
     * Returns the text that Python prints with a 2-space indent and sorted keys: ASCII only, NaN and infinities, no
     * final newline.
     */
    public static String python(JsonValue value) {
        return JsonText.python(value);
    }

    /**
     * Describes a value for messages: {@code an object}, {@code an array of 3}, {@code the string "x"}, {@code 3.5}.
     */
    public static String describe(JsonValue value) {
        return JsonText.describe(value);
    }

    public static void write(Path file, JsonValue value) throws IOException {
        Files.write(file, pretty(value).getBytes(StandardCharsets.UTF_8));
    }

    /** Writes the canonical text of an artifact. A deviation from its declaration is a bug. */
    public static void write(Path file, JsonArtifact artifact, JsonValue value) throws IOException {
        List<Problem> problems = ArtifactCheck.problems(artifact, new LocatedJson(file.toString(), "", value));
        if (!problems.isEmpty()) {
            throw new IllegalStateException(
                    problems.stream().map(Problem::render).collect(Collectors.joining("; ")));
        }
        write(file, value);
    }

    /** Writes the document that a record declares into a directory. */
    public static void writeDocument(Path dir, Record document) throws IOException {
        JsonArtifact artifact = JsonArtifact.of(document.getClass());
        write(dir.resolve(artifact.name()), artifact, RecordJson.document(document, artifact.version()));
    }

    /** Reads the document that a record declares from a directory, or empty if it is absent. */
    public static <R extends Record> Optional<R> readDocument(Path dir, Class<R> type) throws IOException {
        JsonArtifact artifact = JsonArtifact.of(type);
        Path file = dir.resolve(artifact.name());
        return Files.exists(file) ? Optional.of(JsonBinder.OWN.read(file, type, artifact)) : Optional.empty();
    }

    /** Writes one value per line. */
    public static void writeLines(Path file, Iterable<? extends JsonValue> values) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (JsonValue value : values) {
                out.write(compact(value));
                out.write('\n');
            }
        }
    }
}
