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
 * A file with one JSON object per completed request, from which an interrupted replay can resume. The first line identifies the
 * replay. An incomplete last line is ignored.
 */
public final class ReplayJournal implements Closeable {
    private static final String FORMATS = "stagesim-replay/";
    private static final String FORMAT = FORMATS + "3";

    private static final String BEGIN = "{\"journal\":\"" + FORMAT;

    private final OutputStream out;
    private final Map<Long, ReplayOutcome> before;

    private ReplayJournal(OutputStream out, Map<Long, ReplayOutcome> before) {
        this.out = out;
        this.before = before;
    }

    /**
     * Opens or creates a journal.
     *
     * @param replay identity of the replay: the server and the requests
     * @param salt salt of the synthetic prompts, which a resumed replay must repeat
     * @throws StageException if the file belongs to another replay or is not a journal
     */
    public static ReplayJournal open(Path file, String replay, String salt) throws IOException {
        JsonValue first = JsonValue.object()
                .put("journal", FORMAT)
                .put("replay", replay)
                .put("salt", salt)
                .build();
        String head = Json.compact(first) + "\n";
        Map<Long, ReplayOutcome> before = new TreeMap<>();
        String all = Files.exists(InputFile.regular(file))
                ? new String(InputFile.rawBytes(file), StandardCharsets.UTF_8)
                : "";
        String whole = all.substring(0, all.lastIndexOf('\n') + 1);
        boolean isCut = whole.isEmpty() && (all.startsWith(BEGIN) || BEGIN.startsWith(all));
        if (isCut) {
            replace(file, head); // the file does not exist, or its first line is incomplete
        } else {
            read(file, whole.isEmpty() ? all : whole, replay, before);
            if (whole.length() < all.length()) {
                replace(file, whole);
            }
        }
        return new ReplayJournal(Files.newOutputStream(file, StandardOpenOption.APPEND), before);
    }

    /** Returns the salt of a journal, or empty if the first line is incomplete. */
    public static Optional<String> salt(Path file) throws IOException {
        String all = Files.exists(file) ? new String(InputFile.rawBytes(file), StandardCharsets.UTF_8) : "";
        int end = all.indexOf('\n');
        return end < 0
                ? Optional.empty()
                : first(file, all.substring(0, end)).find("salt").map(LocatedJson::asString);
    }

    /** Replaces the file atomically. */
    private static void replace(Path file, String text) throws IOException {
        Path full = file.toAbsolutePath();
        Path partial = full.resolveSibling("." + full.getFileName() + ".partial");
        Files.createDirectories(Objects.requireNonNull(full.getParent()));
        Files.writeString(partial, text);
        Files.move(partial, full, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void read(Path file, String text, String replay, Map<Long, ReplayOutcome> into) {
        int number = 0;
        for (String line : text.split("\n", 0)) {
            number++;
            LocatedJson at = number == 1 ? first(file, line) : Json.parse(line, file + ":" + number);
            if (number == 1) {
                head(file, at, replay);
            } else {
                ReplayOutcome outcome = outcome(at);
                into.put(outcome.id(), outcome);
            }
        }
    }

    private static StageException noJournal(Path file) {
        return StageException.input(Problem.config("endpoint.journal", file + " is not the journal of a replay")
                .hint("name a file that does not exist"));
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
                    Problem.config("endpoint.journal", file + " was written by another version of stagesim")
                            .hint("name another file, or delete this one"));
        }
        if (!format.equals(Optional.of(JsonValue.of(FORMAT)))) {
            throw noJournal(file);
        }
        if (!at.get("replay").asString().equals(replay)) {
            throw StageException.input(Problem.config(
                            "endpoint.journal", file + " belongs to another replay: other requests or another server")
                    .hint("name another file, or delete this one"));
        }
    }

    private static ReplayOutcome outcome(LocatedJson at) {
        return new ReplayOutcome(
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

    /** Returns the outcomes that the file contained when it was opened, by request id. */
    public Map<Long, ReplayOutcome> before() {
        return before;
    }

    /** Appends an outcome and flushes the file. */
    public void add(ReplayOutcome outcome) throws IOException {
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
