package dev.stagesim.serving.tables;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stats.LogHistogram;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * Histograms of the token times of a run: {@code token_times.csv}. Percentiles, minimum and maximum survive a write and a
 * read; the mean is exact to 1/2048.
 *
 * @param first time from the arrival to the first token
 * @param between time between two tokens
 */
public record TokenSpread(LogHistogram first, LogHistogram between) {
    public void write(Path file) throws IOException {
        try (TableWriter out = TableWriter.create(file, SimulationTables.TOKEN_TIMES)) {
            write(out, SimulationTables.MEASURED_TIMES.get(0), first);
            write(out, SimulationTables.MEASURED_TIMES.get(1), between);
        }
    }

    private static void write(TableWriter out, String times, LogHistogram counted) {
        long[] seen = new long[1];
        counted.buckets((from, to, tokens) -> {
            seen[0] += tokens;
            Unchecked.run(() -> {
                out.put(times).put(from).put(to).put(tokens).put((double) seen[0] / counted.count());
                out.endRow();
            });
        });
    }

    /** Reads a file that {@link #write} wrote. {@code file} is the name for messages. */
    public static TokenSpread read(Path file, InputStream in) throws IOException {
        TokenSpread read = new TokenSpread(new LogHistogram(), new LogHistogram());
        try (TableReader rows = TableReader.of(file, in, SimulationTables.TOKEN_TIMES)) {
            while (rows.next()) {
                (rows.stringAt("times").equals(SimulationTables.MEASURED_TIMES.get(0)) ? read.first : read.between)
                        .addBucket(rows.longAt("from_ns"), rows.longAt("to_ns"), rows.longAt("tokens"));
            }
        } catch (IllegalArgumentException e) {
            throw StageException.input(Problem.artifact(file.toString(), String.valueOf(e.getMessage())), e);
        }
        return read;
    }
}
