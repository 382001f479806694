package dev.stagesim.io.times;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.PredictionTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A folder of prediction tables: {@code <operator>.csv}, plain or gzipped, ranges of keys (both ends inclusive) and
 * milliseconds, run-length coded.
 */
public final class TimesFolder {
    private TimesFolder() {}

    /** Reads the tables of all operators that are there. */
    public static List<PredictionTable> read(Path folder) throws IOException {
        List<PredictionTable> tables = new ArrayList<>();
        for (Operator operator : Operator.values()) {
            Optional<Path> file = file(folder, operator);
            if (file.isPresent()) {
                tables.add(parse(operator, file.get().toString(), InputFile.bytes(file.get())));
            }
        }
        if (tables.isEmpty()) {
            throw StageException.input(
                    Problem.artifact(folder.toString(), "no tables of operator times, expected <operator>.csv")
                            .hint("predictor=random_forest makes operator times from a profiling bundle"));
        }
        return tables;
    }

    /** Returns the file of an operator, preferably the plain one. */
    public static Optional<Path> file(Path folder, Operator operator) {
        Path plain = folder.resolve(operator.column() + ".csv");
        Path zipped = folder.resolve(operator.column() + ".csv.gz");
        return Files.exists(plain) ? Optional.of(plain) : Files.exists(zipped) ? Optional.of(zipped) : Optional.empty();
    }

    static PredictionTable parse(Operator operator, String source, byte[] content) {
        return new Parser(operator, source, content).table();
    }

    private static String header(Operator operator) {
        return switch (operator.key()) {
            case TOKENS -> "num_tokens_from,num_tokens_to,ms";
            case REQUESTS -> "batch_size_from,batch_size_to,ms";
            case BATCH_AND_KV -> "batch_size_from,batch_size_to,kv_cache_size_from,kv_cache_size_to,ms";
            case KV_AND_CHUNK -> "kv_from,kv_to,chunk_from,chunk_to,ms";
        };
    }

    /** Reads rows without making objects for them, except the text of a time. */
    private static final class Parser {
        private final Operator operator;
        private final String source;
        private final byte[] content;
        private int at;
        private int line = 1;

        Parser(Operator operator, String source, byte[] content) {
            this.operator = operator;
            this.source = source;
            this.content = content;
        }

        PredictionTable table() {
            boolean one = PredictionTable.isKeyedByOne(operator);
            PredictionTable table = new PredictionTable(operator);
            skipLine();
            while (at < content.length) {
                line++;
                int from = integer();
                int to = integer();
                int secondFrom = one ? 0 : integer();
                int secondTo = one ? 0 : integer();
                if (to < from || secondTo < secondFrom) {
                    throw error("a range ends before it begins");
                }
                table.add(from, to, secondFrom, secondTo, milliseconds());
            }
            if (table.rows() == 0) {
                throw error("no rows");
            }
            return table;
        }

        private void skipLine() {
            while (at < content.length && content[at] != '\n') {
                at++;
            }
            at++;
        }

        private int integer() {
            int start = at;
            long number = 0;
            while (at < content.length && content[at] >= '0' && content[at] <= '9') {
                number = Math.min(10 * number + content[at++] - '0', Integer.MAX_VALUE + 1L);
            }
            if (at == start || at == content.length || content[at] != ',' || number > Integer.MAX_VALUE) {
                throw error("expected " + header(operator) + " with whole numbers as ends");
            }
            at++;
            return (int) number;
        }

        private double milliseconds() {
            int start = at;
            while (at < content.length && content[at] != '\n') {
                at++;
            }
            String text = new String(content, start, at - start, StandardCharsets.US_ASCII).strip();
            at++;
            try {
                double ms = Double.parseDouble(text);
                if (Double.isFinite(ms)) {
                    return ms;
                }
            } catch (NumberFormatException e) {
                // Falls through to the same message as for NaN and infinities.
            }
            throw error("'" + text + "' is not a time in ms");
        }

        private StageException error(String what) {
            return StageException.input(Problem.artifact(source + ":" + line, what));
        }
    }
}
