package dev.stagesim.io.trace;

import dev.stagesim.io.csv.CsvRows;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.TraceFormat;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;

/** Reads trace files and recognises their formats by content. */
public final class TraceCodec {
    private static final Set<String> CONVERSATIONS = Set.of("conversations");

    /** In the order of recognition. */
    private static final List<TraceCodec> ALL = List.of(
            new TraceCodec(
                    TraceFormat.AZURE, CsvTrace.Layout.AZURE, Set.of("TIMESTAMP", "ContextTokens", "GeneratedTokens")),
            new TraceCodec(
                    TraceFormat.BURSTGPT,
                    CsvTrace.Layout.BURSTGPT,
                    Set.of("Timestamp", "Request tokens", "Response tokens")),
            new TraceCodec(
                    TraceFormat.SPLITWISE,
                    CsvTrace.Layout.SPLITWISE,
                    Set.of("arrival_timestamp", "prompt_size", "token_size")),
            new TraceCodec(
                    TraceFormat.VIDUR,
                    CsvTrace.Layout.VIDUR,
                    Set.of("arrived_at", "num_prefill_tokens", "num_decode_tokens")),
            new TraceCodec(
                    TraceFormat.LENGTHS, CsvTrace.Layout.LENGTHS, Set.of("num_prefill_tokens", "num_decode_tokens")),
            new TraceCodec(TraceFormat.COLUMNS, true, (file, tokens) -> CsvTrace.common(file), Set.of()),
            new TraceCodec(TraceFormat.ARRIVALS, CsvTrace.Layout.ARRIVALS, Set.of("arrival_time")),
            new TraceCodec(TraceFormat.PROMPTS, false, TextTrace::prompts, Set.of("prompt")),
            new TraceCodec(
                    TraceFormat.BAILIAN,
                    false,
                    (file, tokens) -> JsonTrace.bailian(file),
                    Set.of("chat_id", "input_length", "output_length")),
            new TraceCodec(
                    TraceFormat.MOONCAKE,
                    false,
                    (file, tokens) -> JsonTrace.mooncake(file),
                    Set.of("input_length", "output_length")),
            new TraceCodec(TraceFormat.SHAREGPT, false, TextTrace::shareGpt, CONVERSATIONS));

    /** The bytes of the mark in UTF-8. */
    private static final String BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

    /** Maximum number of examined entries of an array: some dumps begin with entries without conversations. */
    private static final int MAX_PROBED_LINES = 100;

    private final TraceFormat format;
    private final boolean csv;
    private final Opener opener;
    private final Set<String> marks;

    private TraceCodec(TraceFormat format, CsvTrace.Layout layout, Set<String> marks) {
        this(format, true, (file, tokens) -> layout.open(file), marks);
    }

    private TraceCodec(TraceFormat format, boolean csv, Opener opener, Set<String> marks) {
        this.format = format;
        this.csv = csv;
        this.opener = opener;
        this.marks = marks;
    }

    @FunctionalInterface
    interface Opener {
        TraceReader open(Path file, ToIntFunction<String> tokens) throws IOException;
    }

    static TraceReader open(TraceFormat format, Path file, ToIntFunction<String> tokens) throws IOException {
        for (TraceCodec codec : ALL) {
            if (codec.format == format) {
                return codec.opener.open(file, tokens);
            }
        }
        throw new IllegalArgumentException("no reader of " + format);
    }

    /** Finds the format of a file by its first record. Unknown content is an input error. */
    public static TraceFormat detect(Path file) throws IOException {
        char first = firstCharacter(file);
        List<String> names = first == '{' || first == '[' ? memberNames(file, first) : header(file);
        boolean isCsv = first != '{' && first != '[';
        for (TraceCodec codec : ALL) {
            boolean isLike = codec.format == TraceFormat.COLUMNS
                    ? CommonColumns.find(names).isPresent()
                    : names.containsAll(codec.marks);
            if (codec.csv == isCsv && (codec.format == TraceFormat.SHAREGPT) == (first == '[') && isLike) {
                return codec.format;
            }
        }
        throw StageException.input(Problem.artifact(
                        file + ":1",
                        "no supported trace format has the " + (isCsv ? "columns " : "members ")
                                + String.join(", ", names))
                .note("columns", CommonColumns.describe())
                .hint("name the format with workload.format if the file is of one of them, or rename its columns"));
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
            for (int i = 0; i < MAX_PROBED_LINES && !names.containsAll(CONVERSATIONS); i++) {
                Optional<LocatedJson> record = documents.next();
                if (record.isEmpty()) {
                    break;
                }
                List<String> found = List.copyOf(record.get().members().keySet());
                names = i == 0 || found.containsAll(CONVERSATIONS) ? found : names;
                if (first != '[') {
                    break;
                }
            }
            return names;
        }
    }

    /** Returns the first character that is neither blank nor byte order mark. All marks of formats are ASCII. */
    private static char firstCharacter(Path file) throws IOException {
        try (InputStream in = new BufferedInputStream(InputFile.open(file))) {
            for (int c = in.read(); c >= 0; c = in.read()) {
                if (c > ' ' && BYTE_ORDER_MARK.indexOf(c) < 0) {
                    return (char) c;
                }
            }
            throw StageException.input(Problem.artifact(file.toString(), "the file is empty"));
        } catch (NoSuchFileException e) {
            throw StageException.input(
                    Problem.artifact(file.toString(), "the file does not exist, expected a trace"), e);
        }
    }

    /** Requests with text: JSON lines of prompts, or a JSON array of conversations. */
    private static final class TextTrace extends JsonRows {
        private static final Set<String> HUMAN = Set.of("human", "user");

        private final boolean conversations;
        private final ToIntFunction<String> tokens;

        private TextTrace(JsonDocuments documents, boolean conversations, ToIntFunction<String> tokens) {
            super(new Traits(false, true, false, true, !conversations, 0), documents);
            this.conversations = conversations;
            this.tokens = tokens;
        }

        /** One {@code {"prompt": ..., "prompt_id": ..., "output_tokens": ...}} per line. The last two members are optional. */
        static TraceReader prompts(Path file, ToIntFunction<String> tokens) throws IOException {
            return new TextTrace(JsonDocuments.open(file, JsonMode.STRICT), false, tokens);
        }

        /**
         * Conversations. The first two turns of each one are a request. Conversations without an answer or without turns
         * are dropped.
         */
        static TraceReader shareGpt(Path file, ToIntFunction<String> tokens) throws IOException {
            return new TextTrace(JsonDocuments.openItems(file, JsonMode.STRICT), true, tokens);
        }

        @Override
        Step read(LocatedJson row) {
            return conversations ? conversation(row) : prompt(row);
        }

        private Step prompt(LocatedJson row) {
            text = row.get("prompt").asString();
            id = row.text("prompt_id", "");
            decode = row.find("output_tokens").map(TextTrace::positive).orElse(0);
            prefill = tokens.applyAsInt(text);
            return Step.ROW;
        }

        private Step conversation(LocatedJson row) {
            if (row.find("conversations").isEmpty()) {
                return Step.OTHER;
            }
            List<LocatedJson> turns = row.get("conversations").items();
            if (turns.size() < 2 || !HUMAN.contains(turns.get(0).get("from").asString())) {
                return Step.OTHER;
            }
            text = turns.get(0).get("value").asString();
            id = row.text("id", "");
            prefill = tokens.applyAsInt(text);
            decode = tokens.applyAsInt(turns.get(1).get("value").asString());
            return Step.ROW;
        }

        private static int positive(LocatedJson value) {
            int count = value.asInt();
            if (count < 1) {
                throw value.expected("a positive integer");
            }
            return count;
        }
    }
}
