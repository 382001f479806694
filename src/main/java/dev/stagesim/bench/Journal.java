package dev.stagesim.bench;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A file that gets every request's outcome as it ends, one JSON object a line, so that a replay that was interrupted can go on. Its
 * first line says which replay it is of; a last line that is cut off counts as not written.
 */
public final class Journal implements Closeable {
    private static final String FORMATS = "stagesim-replay/";
    private static final String FORMAT = FORMATS + "3";

    private static final String BEGIN = "{\"journal\":\"" + FORMAT;

    private final OutputStream out;
    private final Map<Long, Outcome> before;

    private Journal(OutputStream out, Map<Long, Outcome> before) {
        this.out = out;
        this.before = before;
    }

    /**
     * Opens a journal, or begins one.
     *
     * @param replay says which replay this is: the server and the requests
     * @param salt salt of the made-up prompts, which a resumed replay must repeat
     * @throws StageException when the file is of another replay, or is no journal
     */
    public static Journal open(Path file, String replay, String salt) throws IOException {
        JsonValue said = JsonValue.object()
                .put("journal", FORMAT)
                .put("replay", replay)
                .put("salt", salt)
                .build();
        String head = Json.compact(said) + "\n";
        Map<Long, Outcome> before = new TreeMap<>();
        String all = Files.exists(InputFile.regular(file))
                ? new String(InputFile.rawBytes(file), StandardCharsets.UTF_8)
                : "";
        String whole = all.substring(0, all.lastIndexOf('\n') + 1);
        boolean isCut = whole.isEmpty() && (all.startsWith(BEGIN) || BEGIN.startsWith(all));
        if (isCut) {
            replace(file, head); // none is there, or one whose first line was cut off
        } else {
            read(file, whole.isEmpty() ? all : whole, replay, before);
            if (whole.length() < all.length()) {
                replace(file, whole);
            }
        }
        return new Journal(Files.newOutputStream(file, StandardOpenOption.APPEND), before);
    }

    /** The salt of the replay that a journal belongs to, or empty if the file has no complete first line. */
    public static Optional<String> salt(Path file) throws IOException {
        String all = Files.exists(file) ? new String(InputFile.rawBytes(file), StandardCharsets.UTF_8) : "";
        int end = all.indexOf('\n');
        return end < 0
                ? Optional.empty()
                : first(file, all.substring(0, end)).find("salt").map(LocatedJson::asString);
    }

    /** At every moment either the old content is there or the new. */
    private static void replace(Path file, String text) throws IOException {
        Path full = file.toAbsolutePath();
        Path beside = full.resolveSibling("." + full.getFileName() + ".partial");
        Files.createDirectories(Objects.requireNonNull(full.getParent()));
        Files.writeString(beside, text);
        Files.move(beside, full, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void read(Path file, String text, String replay, Map<Long, Outcome> into) {
        int number = 0;
        for (String line : text.split("\n", 0)) {
            number++;
            LocatedJson at = number == 1 ? first(file, line) : Json.parse(line, file + ":" + number);
            if (number == 1) {
                head(file, at, replay);
            } else {
                Outcome outcome = outcome(at);
                into.put(outcome.id(), outcome);
            }
        }
    }

    private static StageException noJournal(Path file) {
        return StageException.input(Problem.config("endpoint.journal", file + " is no journal of a replay")
                .hint("name a file that does not exist yet"));
    }

    private static LocatedJson first(Path file, String line) {
        try {
            LocatedJson at = Json.parse(line, file + ":1");
            at.object();
            return at;
        } catch (StageException notJson) {
            throw noJournal(file);
        }
    }

    private static void head(Path file, LocatedJson at, String replay) {
        Optional<JsonValue> format = at.find("journal").map(LocatedJson::value);
        boolean isKnown = format.filter(text ->
                        text instanceof JsonValue.Str name && name.value().startsWith(FORMATS))
                .isPresent();
        if (isKnown && !format.equals(Optional.of(JsonValue.of(FORMAT)))) {
            throw StageException.input(
                    Problem.config("endpoint.journal", file + " is of an earlier version of stagesim")
                            .hint("name another file, or delete this one"));
        }
        if (!format.equals(Optional.of(JsonValue.of(FORMAT)))) {
            throw noJournal(file);
        }
        if (!at.get("replay").asString().equals(replay)) {
            throw StageException.input(
                    Problem.config("endpoint.journal", file + " is of another replay: other requests or another server")
                            .hint("name another file, or delete this one"));
        }
    }

    private static Outcome outcome(LocatedJson at) {
        return new Outcome(
                at.get("id").asLong(),
                at.find("label").map(LocatedJson::asString).orElse(""),
                at.get("intended_ns").asLong(),
                at.get("sent_ns").asLong(),
                at.get("end_ns").asLong(),
                at.get("chunk_ns").asLongs(),
                at.get("prompt_tokens").asLong(),
                at.get("output_tokens").asLong(),
                at.find("cancelled").map(LocatedJson::asBool).orElse(false),
                at.find("error").map(LocatedJson::asString));
    }

    /** Outcomes that were there when it was opened, by the number of the request. */
    public Map<Long, Outcome> before() {
        return before;
    }

    /** Adds an outcome; it is in the file when this returns. */
    public void add(Outcome outcome) throws IOException {
        JsonValue line = JsonValue.object()
                .put("id", outcome.id())
                .put("label", outcome.label())
                .put("intended_ns", outcome.intendedNs())
                .put("sent_ns", outcome.sentNs())
                .put("end_ns", outcome.endNs())
                .put(
                        "chunk_ns",
                        JsonValue.of(Arrays.stream(outcome.chunkNs())
                                .mapToObj(JsonValue::of)
                                .toList()))
                .put("prompt_tokens", outcome.promptTokens())
                .put("output_tokens", outcome.outputTokens())
                .put("cancelled", outcome.cancelled())
                .putOrNull("error", outcome.error())
                .build();
        out.write((Json.compact(line) + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
