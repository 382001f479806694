package dev.stagesim.io.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.stagesim.contract.Column;
import dev.stagesim.contract.RowInvariant;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

final class TableWriterTest {
    private static final TableSchema SCHEMA = new TableSchema(
            "t.csv",
            1,
            "Test table.",
            List.of(
                    Column.int64("id", "", "Id.").atLeast(0),
                    Column.float64("x", "ms", "Number.").atLeast(0).orEmpty(),
                    Column.string("s", "Text.").orEmpty(),
                    Column.bool("b", "Flag."),
                    Column.string("kind", "Kind.").oneOf(List.of("a", "b")).optional()),
            List.of(new RowInvariant.Increasing("id")));

    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/");
    private final Path file = dir.resolve("t.csv");

    @Test
    void writesHeaderAndRows() throws IOException {
        try (TableWriter out = TableWriter.create(file, SCHEMA)) {
            out.put(0).put(0.1).put("plain").put(true).put("a").endRow();
            out.put(5).putEmpty().put("a,\"b\"\r\nc \u00e9").put(false).put("b").endRow();
            assertThat(out.rows()).isEqualTo(2);
        }
        assertThat(Files.readString(file))
                .isEqualTo("id,x,s,b,kind\n0,0.1,plain,true,a\n5,,\"a,\"\"b\"\"\r\nc \u00e9\",false,b\n");
    }

    @Test
    void omitsOptionalColumnsThatAreNotNamed() throws IOException {
        try (TableWriter out = TableWriter.create(file, SCHEMA, List.of())) {
            out.put(0).put(1.0).putEmpty().put(true).endRow();
        }
        assertThat(Files.readString(file)).isEqualTo("id,x,s,b\n0,1.0,,true\n");
        assertThatThrownBy(() -> TableWriter.create(file, SCHEMA, List.of("kin")))
                .hasMessageContaining("kin");
    }

    @Test
    void rejectsValuesOutsideTheSchema() throws IOException {
        refuses(out -> out.put(-1), "column id: -1 is less than 0");
        refuses(out -> out.put("0"), "type STRING");
        refuses(out -> out.putEmpty(), "column id: an empty value");
        refuses(out -> out.put(1).put(Double.NaN), "column x");
        refuses(out -> out.put(1).put(-0.5), "column x");
        refuses(out -> out.put(1).put(Double.POSITIVE_INFINITY), "column x");
        refuses(out -> out.put(1).put(1L), "type INT64");
        refuses(out -> out.put(1).put(1.0).put("").put(true).put("c"), "'c' is none of [a, b]");
        refuses(out -> out.put(1).put(1.0).put("").put(true).put(""), "column kind: an empty value");
        refuses(out -> out.put(1).endRow(), "1 values, expected 5");
        refuses(out -> row(out, 1).put(1), "more than 5 values");
        refuses(
                out -> {
                    row(out, 1).endRow();
                    row(out, 1).endRow();
                },
                "row 1: found 1 after 1; expected: id increases from row to row");
    }

    /** Texts originate from inputs: names of models, prompts, operators. */
    @Test
    void reportsAnEmptyTextAsAnInputError() {
        TableSchema named = TableSchema.of("named.csv 1 | Names.\nname | text | Name.\n");
        assertThatThrownBy(() -> {
                    try (TableWriter out = TableWriter.create(file, named)) {
                        out.put("");
                    }
                })
                .isInstanceOfSatisfying(
                        StageException.class,
                        e -> assertThat(e.kind().exitCode()).isEqualTo(2))
                .hasMessageContaining("column name");
    }

    private static TableWriter row(TableWriter out, long id) throws IOException {
        return out.put(id).put(1.0).put("").put(true).put("a");
    }

    private interface Rows {
        void write(TableWriter out) throws IOException;
    }

    private void refuses(Rows rows, String message) throws IOException {
        TableWriter out = TableWriter.create(file, SCHEMA);
        assertThatThrownBy(() -> rows.write(out))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("t.csv")
                .hasMessageContaining(message);
        Executable close = out::close;
        try {
            close.execute();
        } catch (Throwable e) {
            assertThat(e).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed within row");
        }
    }

    @Test
    void throwsWhenClosedWithinARow() throws IOException {
        TableWriter out = TableWriter.create(file, SCHEMA);
        out.put(1);
        assertThatThrownBy(out::close).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void writesTextThatAnotherReaderReads() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        List<String> texts = new ArrayList<>();
        TableSchema schema = new TableSchema(
                "t.csv",
                1,
                "T.",
                List.of(Column.int64("n", "", "N."), Column.string("s", "S.").orEmpty()),
                List.of());
        try (TableWriter out = TableWriter.create(file, schema)) {
            for (int i = 0; i < 5000; i++) {
                String text = text(random, i % 500 == 0 ? 70_000 : 1 + random.nextInt(20));
                texts.add(text);
                out.put(random.nextLong()).put(text).endRow();
            }
        }
        List<String> read = new ArrayList<>();
        try (CsvReader<CsvRecord> reader = CsvReader.builder().ofCsvRecord(file)) {
            reader.forEach(row -> read.add(row.getField(1)));
        }
        assertThat(read.subList(1, read.size())).isEqualTo(texts);
        try (TableReader reader = TableReader.open(file, schema)) {
            for (String text : texts) {
                assertThat(reader.next()).isTrue();
                assertThat(reader.stringAt(1)).isEqualTo(text);
            }
            assertThat(reader.next()).isFalse();
        }
    }

    private static String text(SplittableRandom random, int length) {
        String alphabet = "ab,\"\n\r \u00e9\u4e2d'";
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }
}
