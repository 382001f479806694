package dev.stagesim.sweep.tokens;

import dev.stagesim.contract.TableFormat;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.LongColumns;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.serving.tables.SimulationTables;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A part of a run's token table, small enough to be counted in one step.
 *
 * @param run id of the run
 * @param file the table, below {@code tmp/}, with slashes
 * @param from first byte of the part
 * @param to byte after the last one
 * @param indexColumn position of {@code token_index}; -1 if the run itself has counted its tokens
 * @param latencyColumn position of {@code token_latency_ns}
 */
public record TokenPart(String run, String file, long from, long to, int indexColumn, int latencyColumn) {
    private static final String SEPARATOR = " ";

    public long bytes() {
        return to - from;
    }

    /** Returns the parts of a run's token table; empty if it has no such table. */
    static List<TokenPart> of(RunRef run, long maxBytes) throws IOException {
        Path table = TableFile.find(run.dir().resolve(Tables.TOKEN_METRICS.name()));
        List<TokenPart> parts = new ArrayList<>();
        if (!Files.isRegularFile(table)) {
            Path counted = TableFile.find(run.dir().resolve(SimulationTables.TOKEN_TIMES.name()));
            if (Files.isRegularFile(counted)) {
                parts.add(new TokenPart(run.runId(), file(run, counted), 0, Files.size(counted), -1, -1));
            }
            return parts;
        }
        int index;
        int latency;
        try (TableReader head = TableReader.open(table, Tables.TOKEN_METRICS)) {
            index = head.column("token_index");
            latency = head.column("token_latency_ns");
        }
        String file = file(run, table);
        long size = Files.size(table);
        if (TableFormat.isParquet(file)) {
            parts.add(new TokenPart(run.runId(), file, 0, size, index, latency));
            return parts;
        }
        for (long from = 0; from < size; from += maxBytes) {
            parts.add(new TokenPart(run.runId(), file, from, Math.min(size, from + maxBytes), index, latency));
        }
        return parts;
    }

    private static String file(RunRef run, Path table) {
        return run.meta().runType() + "/" + run.runId() + "/" + table.getFileName();
    }

    /** True for a run's {@code token_times.csv}, which is read as a whole. */
    boolean isCounted() {
        return indexColumn < 0;
    }

    /**
     * Counts the token times of this part.
     *
     * @param store root directory of runs
     */
    public TokenCounts count(Path store) throws IOException {
        if (TableFormat.isParquet(file)) {
            try (InputStream text = TableFile.raw(store.resolve(file))) {
                return TokenCounts.ofText(text, this);
            }
        }
        try (SeekableByteChannel bytes = InputFile.channel(store.resolve(file))) {
            bytes.position(LongColumns.start(from));
            try (InputStream in = Channels.newInputStream(bytes)) {
                return TokenCounts.read(in, this);
            }
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** Returns the fields separated by blanks, for another process. */
    public String text() {
        return String.join(
                SEPARATOR,
                run,
                file,
                Long.toString(from),
                Long.toString(to),
                Integer.toString(indexColumn),
                Integer.toString(latencyColumn));
    }

    /** Parses the output of {@link #text}. */
    public static TokenPart parse(String text) {
        String[] words = text.split(SEPARATOR, -1);
        return new TokenPart(
                words[0],
                words[1],
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Integer.parseInt(words[4]),
                Integer.parseInt(words[5]));
    }
}
