package dev.stagesim.jmh;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.RowInvariant;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.LongText;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Writing and reading a million rows of six columns, compared with a writer without checks. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class TableBenchmark {
    private static final int ROWS = 1_000_000;
    private static final TableSchema SCHEMA = new TableSchema(
            "bench.csv",
            1,
            "Six integer columns with three rules.",
            List.of(
                    Column.int64("request_id", "", "Id.").atLeast(0),
                    Column.int64("gap_ns", "ns", "Gap.").atLeast(0),
                    Column.int64("arrival_ns", "ns", "Arrival.").atLeast(0),
                    Column.int64("end_ns", "ns", "End.").atLeast(0),
                    Column.int64("tokens", "tokens", "Tokens.").atLeast(1),
                    Column.int64("status", "", "Status.").atLeast(0).orEmpty()),
            List.of(
                    new RowInvariant.Increasing("request_id"),
                    new RowInvariant.RunningSum("arrival_ns", "gap_ns"),
                    new RowInvariant.NotBefore("end_ns", "arrival_ns")));

    private final long[] gaps = new long[ROWS];
    private Path file = Path.of("bench.csv");

    @Setup(Level.Trial)
    public void prepare() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < ROWS; i++) {
            gaps[i] = random.nextLong(1_000_000_000);
        }
        file = Files.createTempFile("stagesim-bench", ".csv");
        checkedWriter();
    }

    @TearDown(Level.Trial)
    public void clean() throws IOException {
        Files.deleteIfExists(file);
    }

    /** The product's writer: checks types, bounds and rules of each row. */
    @Benchmark
    public long checkedWriter() throws IOException {
        try (TableWriter out = TableWriter.create(file, SCHEMA)) {
            long now = 0;
            for (int i = 0; i < ROWS; i++) {
                now += gaps[i];
                out.put(i)
                        .put(gaps[i])
                        .put(now)
                        .put(now + 5)
                        .put(i % 4000 + 1)
                        .put(i & 1)
                        .endRow();
            }
            return out.rows();
        }
    }

    /** The product's reader: checks and reads every value. */
    @Benchmark
    public long checkedReader() throws IOException {
        long sum = 0;
        try (TableReader in = TableReader.open(file, SCHEMA)) {
            while (in.next()) {
                for (int i = 0; i < 6; i++) {
                    sum += in.longAt(i);
                }
            }
        }
        return sum;
    }

    /** A minimal writer: digits directly into a buffer, without checks. */
    @Benchmark
    public long handWritten() throws IOException {
        byte[] buffer = new byte[1 << 16];
        try (OutputStream out = Files.newOutputStream(file)) {
            out.write("request_id,gap_ns,arrival_ns,end_ns,tokens,status\n".getBytes(StandardCharsets.US_ASCII));
            int at = 0;
            long now = 0;
            for (int i = 0; i < ROWS; i++) {
                if (at + 140 > buffer.length) {
                    out.write(buffer, 0, at);
                    at = 0;
                }
                now += gaps[i];
                at = digits(i, buffer, at, ',');
                at = digits(gaps[i], buffer, at, ',');
                at = digits(now, buffer, at, ',');
                at = digits(now + 5, buffer, at, ',');
                at = digits(i % 4000 + 1, buffer, at, ',');
                at = digits(i & 1, buffer, at, '\n');
            }
            out.write(buffer, 0, at);
            return now;
        }
    }

    private static int digits(long value, byte[] out, int at, char end) {
        int pos = LongText.write(value, out, at);
        out[pos] = (byte) end;
        return pos + 1;
    }

    /** A writer that converts values to strings, like most programs. */
    @Benchmark
    public long bufferedStrings() throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            long now = 0;
            for (int i = 0; i < ROWS; i++) {
                now += gaps[i];
                out.write(
                        i + "," + gaps[i] + "," + now + "," + (now + 5) + "," + (i % 4000 + 1) + "," + (i & 1) + "\n");
            }
            return now;
        }
    }
}
