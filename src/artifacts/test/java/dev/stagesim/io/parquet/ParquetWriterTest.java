package dev.stagesim.io.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.Column;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ParquetWriterTest {
    private static final double[] REALS = {Double.NaN, -0.0, 0.0, 1e300, Double.NEGATIVE_INFINITY, Double.MIN_VALUE};
    private static final List<Column> COLUMNS = List.of(
            Column.int64("id", "", "A number."),
            Column.int64("wait", "ns", "A number or none.").orEmpty(),
            Column.float64("mean", "ms", "Any real."),
            Column.float64("share", "", "A real or none.").orEmpty(),
            Column.string("note", "A text or none.").orEmpty(),
            Column.bool("good", "Yes or no."));

    private final Path file =
            Jimfs.newFileSystem(Configuration.unix()).getPath("/some.parquet").toAbsolutePath();

    private static boolean isNull(int row, int column) {
        return (row + column) % 3 == 0;
    }

    private static double real(int row, int column) {
        return REALS[(row + column) % REALS.length];
    }

    private static void row(ParquetWriter out, int row) throws IOException {
        out.put(0, (long) row);
        out.put(2, real(row, 2));
        out.put(5, row % 2 == 0);
        if (isNull(row, 1)) {
            out.putNull(1);
        } else {
            out.put(1, Long.MIN_VALUE + row);
        }
        if (isNull(row, 3)) {
            out.putNull(3);
        } else {
            out.put(3, real(row, 3));
        }
        if (isNull(row, 4)) {
            out.putNull(4);
        } else {
            out.put(4, "text " + row);
        }
        out.endRow();
    }

    /** A single group, only full groups, and a partial last group. */
    @ParameterizedTest
    @CsvSource({"7, 7, false", "14, 7, false", "15, 7, true", "20, 7, false", "21, 7, true", "301, 100, true"})
    void writesGroupsInOrder(int rows, int group, boolean isCompressed) throws IOException {
        try (ParquetWriter out = new ParquetWriter(file, "some 1", COLUMNS, isCompressed, group)) {
            for (int row = 0; row < rows; row++) {
                row(out, row);
            }
            out.finish();
        }
        assertThat(ParquetReader.rows(file)).isEqualTo(rows);
        try (ParquetReader in = ParquetReader.open(file)) {
            for (int row = 0; row < rows; row++) {
                assertThat(in.next()).isTrue();
                assertThat(in.longAt(0)).isEqualTo(row);
                assertThat(in.isNull(1)).isEqualTo(isNull(row, 1));
                assertThat(in.isNull(3)).isEqualTo(isNull(row, 3));
                assertThat(in.isNull(4)).isEqualTo(isNull(row, 4));
                if (!isNull(row, 1)) {
                    assertThat(in.longAt(1)).isEqualTo(Long.MIN_VALUE + row);
                }
                same(in.doubleAt(2), real(row, 2));
                if (!isNull(row, 3)) {
                    same(in.doubleAt(3), real(row, 3));
                }
                if (!isNull(row, 4)) {
                    assertThat(in.textAt(4)).isEqualTo("text " + row);
                }
                assertThat(in.booleanAt(5)).isEqualTo(row % 2 == 0);
            }
            assertThat(in.next()).isFalse();
        }
    }

    /** Compares bits, because -0.0 is not 0.0. */
    private static void same(double found, double expected) {
        assertThat(Double.doubleToRawLongBits(found)).isEqualTo(Double.doubleToRawLongBits(expected));
    }

    @Test
    void leavesAnUnfinishedFileUnreadable() throws IOException {
        try (ParquetWriter out = new ParquetWriter(file, "some 1", COLUMNS, false, 4)) {
            for (int row = 0; row < 10; row++) {
                row(out, row);
            }
        }
        assertThat(file).isNotEmptyFile();
        assertThatThrownBy(() -> ParquetReader.open(file))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("the file does not end with PAR1");
    }
}
