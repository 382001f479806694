package dev.stagesim.io.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.TableFormat;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.parquet.ParquetReader;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TableFileTest {
    static final TableSchema SCHEMA = TableSchema.of(
            """
            some.csv 1 | Every type, with values that may be missing and without.
            id | int | Any number.
            after | int ns | Numbers that are near each other.
            wait | int? ns | A number or none.
            mean | real ms | Any real.
            [share] | real? | A real or none.
            name | text | Any text.
            note | text? | Any text or none.
            state | text on/off | One of few.
            good | bool | Yes or no.
            maybe | bool? | Yes, no or none.
            """);
    private static final List<String> TEXTS =
            List.of("a", "\u00e9\ud83d\ude00", "a,b", "say \"no\"", "two\nlines", " ");

    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/work");

    /** Writes a table of random values: extremes, long runs, many and few distinct texts. */
    Path random(long seed, int rows) throws IOException {
        Random random = new Random(seed);
        Files.createDirectories(dir);
        Path file = dir.resolve("some.csv");
        try (TableWriter out = TableWriter.create(file, SCHEMA, List.of("share"))) {
            for (int row = 0; row < rows; row++) {
                int kind = random.nextInt(4);
                long any =
                        kind == 0 ? random.nextLong() : kind == 1 ? Long.MIN_VALUE : kind == 2 ? Long.MAX_VALUE : row;
                double real = kind == 0 ? random.nextGaussian() : kind == 1 ? -0.0 : kind == 2 ? 1e300 : row;
                String text = kind == 0 ? TEXTS.get(random.nextInt(TEXTS.size())) : kind + "x" + random.nextInt(rows);
                boolean isThere = row / 20 % 3 == 0 || random.nextBoolean();
                out.put(any).put(row * 1000L + random.nextInt(50));
                out.putIf(isThere, row).put(real).putIf(!isThere, real);
                out.put(text).put(isThere ? text : "");
                out.put(random.nextInt(9) == 0 ? "on" : "off").put(kind == 1);
                if (isThere) {
                    out.put(kind < 2);
                } else {
                    out.putEmpty();
                }
                out.endRow();
            }
        }
        return file;
    }

    @ParameterizedTest
    @EnumSource(
            value = TableFormat.class,
            names = {"PARQUET", "PARQUET_GZIP"})
    void readsTheRowsOfTheCsv(TableFormat format) throws IOException {
        for (int rows : IntStream.concat(IntStream.rangeClosed(0, 40), IntStream.of(127, 128, 129, 130, 600, 5000))
                .toArray()) {
            Path csv = random(rows, rows);
            String text = Files.readString(csv);
            Path packed = TableFile.pack(csv, SCHEMA, format);
            assertThat(csv).doesNotExist();
            assertThat(packed).exists().hasFileName("some.parquet");
            assertThat(ParquetReader.rows(packed)).isEqualTo(rows);
            try (var in = TableFile.raw(packed)) {
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .as("%d rows", rows)
                        .isEqualTo(text);
            }
            byte[] first = Files.readAllBytes(packed);
            Files.delete(packed);
            assertThat(TableFile.pack(random(rows, rows), SCHEMA, format)).hasBinaryContent(first);
            Files.delete(packed);
        }
    }

    @Test
    void opensTheFileWithEveryReader() throws IOException {
        Path csv = random(7, 300);
        LooseTable before = LooseTable.read(csv);
        TableFile.pack(csv, SCHEMA, TableFormat.PARQUET);
        LooseTable after = LooseTable.read(csv);
        assertThat(after.columns()).containsExactlyElementsOf(before.columns());
        assertThat(IntStream.range(0, 300).mapToObj(row -> after.text(row, "wait")))
                .containsExactlyElementsOf(IntStream.range(0, 300)
                        .mapToObj(row -> before.text(row, "wait"))
                        .toList());
        try (TableReader rows = TableReader.open(csv, SCHEMA)) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.where()).isEqualTo("/work/some.parquet:2");
        }
    }

    @Test
    void reportsDamageAsAnInputError() throws IOException {
        byte[] whole = Files.readAllBytes(TableFile.pack(random(3, 200), SCHEMA, TableFormat.PARQUET));
        Path file = dir.resolve("some.parquet");
        Random random = new Random(1);
        int reported = 0;
        for (int i = 0; i < 400; i++) {
            byte[] damaged = i % 4 == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
            if (i % 4 != 0) {
                damaged[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(8));
            }
            Files.write(file, damaged, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
            try (TableReader rows = TableReader.open(file, SCHEMA)) {
                while (rows.next()) {
                    // Damage is detected while reading, or not at all.
                }
            } catch (StageException expected) {
                assertThat(expected.kind()).isEqualTo(StageException.Kind.INPUT);
                reported++;
            }
        }
        assertThat(reported).isGreaterThan(100);
        Files.writeString(file, "request_id,ttft_ns\n1,2\n");
        assertThatThrownBy(() -> TableReader.open(file, SCHEMA))
                .hasMessageContaining("/work/some.parquet")
                .hasMessageContaining("the file does not end with PAR1");
    }
}
