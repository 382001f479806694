package dev.stagesim.io.trace;

import dev.stagesim.io.csv.CsvRows;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;

/** The trace formats that can be read, with the marks that tell them apart. */
@SuppressWarnings("ImmutableEnumChecker") // stateless openers and Set.of, which their types do not show
public enum TraceCodec {
    AZURE(CsvTrace.Layout.AZURE, Set.of("TIMESTAMP", "ContextTokens", "GeneratedTokens")),
    BURSTGPT(CsvTrace.Layout.BURSTGPT, Set.of("Timestamp", "Request tokens", "Response tokens")),
    SPLITWISE(CsvTrace.Layout.SPLITWISE, Set.of("arrival_timestamp", "prompt_size", "token_size")),
    VIDUR(CsvTrace.Layout.VIDUR, Set.of("arrived_at", "num_prefill_tokens", "num_decode_tokens")),
    LENGTHS(CsvTrace.Layout.LENGTHS, Set.of("num_prefill_tokens", "num_decode_tokens")),
    ARRIVALS(CsvTrace.Layout.ARRIVALS, Set.of("arrival_time")),
    PROMPTS(false, TextTrace::prompts, Set.of("prompt")),
    BAILIAN(false, (file, tokens) -> JsonTrace.bailian(file), Set.of("chat_id", "input_length", "output_length")),
    MOONCAKE(false, (file, tokens) -> JsonTrace.mooncake(file), Set.of("input_length", "output_length")),
    SHAREGPT(false, TextTrace::shareGpt, Set.of("conversations"));

    /** The bytes of the mark in UTF-8. */
    private static final String BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

    /** Entries of an array that are looked at: some dumps have entries without conversations among the first. */
    private static final int MOST_LOOKED_AT = 100;

    private final boolean csv;
    private final Opener opener;
    private final Set<String> marks;

    TraceCodec(CsvTrace.Layout layout, Set<String> marks) {
        this(true, (file, tokens) -> layout.open(file), marks);
    }

    TraceCodec(boolean csv, Opener opener, Set<String> marks) {
        this.csv = csv;
        this.opener = opener;
        this.marks = marks;
    }

    @FunctionalInterface
    interface Opener {
        TraceReader open(Path file, ToIntFunction<String> tokens) throws IOException;
    }

    /** True when rows hold text, so that a tokenizer is needed. */
    public boolean needsTokenizer() {
        return this == PROMPTS || this == SHAREGPT;
    }

    /** True when rows have lengths, at least for some files of the format. */
    public boolean hasLengths() {
        return this != ARRIVALS;
    }

    TraceReader open(Path file, ToIntFunction<String> tokens) throws IOException {
        return opener.open(file, tokens);
    }

    /** Finds the format of a file by its first record; unknown content is the user's error. */
    public static TraceCodec detect(Path file) throws IOException {
        char first = firstCharacter(file);
        List<String> names = first == '{' || first == '[' ? memberNames(file, first) : header(file);
        boolean isCsv = first != '{' && first != '[';
        for (TraceCodec codec : values()) {
            if (codec.csv == isCsv && (codec == SHAREGPT) == (first == '[') && names.containsAll(codec.marks)) {
                return codec;
            }
        }
        throw StageException.input(Problem.of(
                        "artifact error",
                        file + ":1",
                        "no known trace format has the " + (isCsv ? "columns " : "members ") + String.join(", ", names))
                .hint("name the format with workload.format if the file is of one of them"));
    }

    private static List<String> header(Path file) throws IOException {
        try (CsvRows rows = CsvRows.open(file)) {
            return rows.header();
        }
    }

    private static List<String> memberNames(Path file, char first) throws IOException {
        try (JsonDocuments documents = first == '['
                ? JsonDocuments.openItems(file, JsonMode.STRICT)
                : JsonDocuments.open(file, JsonMode.STRICT)) {
            List<String> names = List.of();
            for (int i = 0; i < MOST_LOOKED_AT && !names.containsAll(SHAREGPT.marks); i++) {
                Optional<JsonAt> record = documents.next();
                if (record.isEmpty()) {
                    break;
                }
                List<String> found = List.copyOf(record.get().members().keySet());
                names = i == 0 || found.containsAll(SHAREGPT.marks) ? found : names;
                if (first != '[') {
                    break;
                }
            }
            return names;
        }
    }

    /** First character that is neither blank nor byte order mark; the marks of interest are ASCII. */
    private static char firstCharacter(Path file) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            for (int c = in.read(); c >= 0; c = in.read()) {
                if (c > ' ' && BYTE_ORDER_MARK.indexOf(c) < 0) {
                    return (char) c;
                }
            }
            throw StageException.input(Problem.of("artifact error", file.toString(), "the file is empty"));
        } catch (NoSuchFileException e) {
            throw StageException.input(
                    Problem.of("artifact error", file.toString(), "the file does not exist, expected a trace"), e);
        }
    }
}
