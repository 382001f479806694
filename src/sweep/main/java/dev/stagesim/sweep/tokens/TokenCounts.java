package dev.stagesim.sweep.tokens;

import dev.stagesim.contract.TableFormat;
import dev.stagesim.io.csv.LongColumns;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.serving.tables.TokenSpread;
import dev.stagesim.stats.LogHistogram;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Histograms of the token times of one or several runs, in bounded memory.
 *
 * @param first times from arrival to the first token of a request
 * @param between times between consecutive rows of a request
 */
public record TokenCounts(LogHistogram first, LogHistogram between) {
    private static final String SEPARATOR = ";";

    public TokenCounts() {
        this(new LogHistogram(), new LogHistogram());
    }

    /**
     * Counts the rows of a part of a table.
     *
     * @param in the table from position {@link LongColumns#start} of the part
     */
    public static TokenCounts read(InputStream in, TokenPart part) throws IOException {
        if (!TableFormat.isParquet(part.file())) {
            return read(in, part, part.to());
        }
        Path whole = Files.createTempFile("tokens", ".parquet");
        try {
            Files.copy(in, whole, StandardCopyOption.REPLACE_EXISTING);
            try (InputStream text = TableFile.raw(whole)) {
                return ofText(text, part);
            }
        } finally {
            Files.delete(whole);
        }
    }

    /** Counts the rows of a whole Parquet table, from its text. */
    static TokenCounts ofText(InputStream text, TokenPart part) throws IOException {
        return read(text, part, Long.MAX_VALUE);
    }

    private static TokenCounts read(InputStream in, TokenPart part, long to) throws IOException {
        if (part.isCounted()) {
            TokenSpread spread = TokenSpread.read(Path.of(part.file()), in);
            return new TokenCounts(spread.first(), spread.between());
        }
        TokenCounts counts = new TokenCounts();
        LongColumns.read(in, part.from(), to, part.indexColumn(), part.latencyColumn(), (index, latency) -> (index == 0
                        ? counts.first
                        : counts.between)
                .add(latency));
        return counts;
    }

    public void merge(TokenCounts other) {
        first.merge(other.first);
        between.merge(other.between);
    }

    /** Returns the counts as one word, for another process. */
    public String text() {
        return first.text() + SEPARATOR + between.text();
    }

    /** Parses the output of {@link #text}. */
    public static TokenCounts parse(String text) {
        int separator = text.indexOf(SEPARATOR);
        return new TokenCounts(
                LogHistogram.parse(text.substring(0, separator)), LogHistogram.parse(text.substring(separator + 1)));
    }
}
