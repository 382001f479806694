package dev.stagesim.io.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.RowInvariant;
import dev.stagesim.contract.TableSchema;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tech.tablesaw.api.ColumnType;
import tech.tablesaw.api.Table;
import tech.tablesaw.io.csv.CsvReadOptions;

/** Reads tables with a data-frame library by their declared types. */
class DataFrameInteropTest {
    private static final TableSchema SCHEMA = new TableSchema(
            "frame.csv",
            1,
            "One column of each type.",
            List.of(
                    Column.int64("id", "", "Row number."),
                    Column.float64("share", "", "Any double."),
                    Column.string("name", "Any text."),
                    Column.bool("good", "A flag."),
                    Column.int64("time_ns", "ns", "May be empty.").orEmpty()),
            List.<RowInvariant>of());

    @TempDir
    Path dir;

    @Test
    void keepsEveryType() throws Exception {
        Path file = dir.resolve("frame.csv");
        try (TableWriter out = TableWriter.create(file, SCHEMA)) {
            out.put(Long.MAX_VALUE).put(0.1).put("plain").put(true).put(5L);
            out.endRow();
            out.put(-1L)
                    .put(1e-300)
                    .put("a \"quoted\", text\nof two lines")
                    .put(false)
                    .putEmpty();
            out.endRow();
        }
        Table frame = Table.read()
                .csv(CsvReadOptions.builder(file.toFile()).columnTypes(types()).build());
        assertThat(frame.columnNames()).containsExactly("id", "share", "name", "good", "time_ns");
        assertThat(frame.longColumn("id").asObjectArray()).containsExactly(Long.MAX_VALUE, -1L);
        assertThat(frame.doubleColumn("share").asDoubleArray()).containsExactly(0.1, 1e-300);
        assertThat(frame.stringColumn("name").get(1)).isEqualTo("a \"quoted\", text\nof two lines");
        assertThat(frame.booleanColumn("good").get(0)).isTrue();
        assertThat(frame.longColumn("time_ns").isMissing(1)).isTrue();
    }

    private static ColumnType[] types() {
        return SCHEMA.columns().stream()
                .map(column -> switch (column.type()) {
                    case INT64 -> ColumnType.LONG;
                    case FLOAT64 -> ColumnType.DOUBLE;
                    case STRING -> ColumnType.STRING;
                    case BOOL -> ColumnType.BOOLEAN;
                })
                .toArray(ColumnType[]::new);
    }
}
