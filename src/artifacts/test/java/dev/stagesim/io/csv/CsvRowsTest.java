package dev.stagesim.io.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CsvRowsTest {
    @Test
    void readsAnyLineEndingQuotesAndBlanks() throws IOException {
        try (CsvRows rows = CsvRows.open(file("\uFEFF a ,\"b c\"\r\n1,\"x,\"\"y\"\"\"\n\n 3 ,z"))) {
            assertThat(rows.header()).containsExactly("a", "b c");
            assertThat(rows.column("b c")).isEqualTo(1);
            assertThat(rows.next()).isTrue();
            assertThat(rows.text(1)).isEqualTo("x,\"y\"");
            assertThat(rows.line()).isEqualTo(2);
            assertThat(rows.next()).isTrue();
            assertThat(rows.text(0)).isEqualTo("3");
            assertThat(rows.line()).isEqualTo(4);
            assertThat(rows.next()).isFalse();
        }
    }

    @Test
    void reportsFileAndLineOfProblems() throws IOException {
        try (CsvRows rows = CsvRows.open(file("a,b\n1,2\n1,2,3\n"))) {
            assertThatThrownBy(() -> rows.column("c")).hasMessageContaining("column 'c' is missing");
            assertThat(rows.next()).isTrue();
            assertThatThrownBy(rows::next)
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("/f.csv:3: the row has 3 fields, but the header has 2");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a,b,a\n", "a, a\n", "a,b,c,b\r\n1,2,3,4\n", "\uFEFFa,\"a\"\n"})
    void rejectsDuplicateColumns(String text) throws IOException {
        Path twice = file(text);
        assertThatThrownBy(() -> CsvRows.open(twice))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("/f.csv:1: column '")
                .hasMessageContaining("appears twice");
        assertThatThrownBy(() -> LooseTable.read(twice)).hasMessageContaining("appears twice");
    }

    @Test
    void acceptsSeveralColumnsWithoutAName() throws IOException {
        try (CsvRows rows = CsvRows.open(file(",a,\n1,2,3\n"))) {
            assertThat(rows.next()).isTrue();
        }
    }

    @Test
    void reportsEmptyMissingAndBrokenFilesAsInputErrors() throws IOException {
        Path empty = file("");
        assertThatThrownBy(() -> CsvRows.open(empty))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("empty");
        assertThatThrownBy(() -> CsvRows.open(empty.resolveSibling("none")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("does not exist");
        Path broken = file("a,b\n1,\"open\n");
        try (CsvRows rows = CsvRows.open(broken)) {
            assertThatThrownBy(rows::next)
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("/f.csv:2: not valid CSV");
        }
    }

    /** FastCSV is an independent reader: both accept the same texts and return the same rows. */
    @Test
    void readsTheRowsOfAnotherReader() {
        List<String> parts = List.of("a", "b", ",", ",", "\"", "\"", "\n", "\r\n", " ");
        int[] accepted = new int[1];
        qt().withExamples(2000)
                .forAll(lists().of(integers().between(0, parts.size() - 1)).ofSizeBetween(1, 12))
                .checkAssert(picks -> {
                    String text = "x,y\n"
                            + String.join("", picks.stream().map(parts::get).toList());
                    String expected = rowsOf(text);
                    accepted[0] += expected.equals(REFUSED) ? 0 : 1;
                    assertThat(ownRows(text)).as(text).isEqualTo(expected);
                });
        assertThat(accepted[0]).isGreaterThan(50);
    }

    private static final String REFUSED = "refused";

    private static String rowsOf(String text) {
        StringBuilder rows = new StringBuilder();
        try (CsvReader<CsvRecord> reader = CsvReader.builder()
                .allowUnclosedQuote(false)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .ofCsvRecord(text)) {
            for (CsvRecord row : reader) {
                if (row.getFieldCount() != 2) {
                    return REFUSED;
                }
                rows.append(row.getStartingLineNumber())
                        .append(row.getFields().stream().map(String::strip).toList());
            }
            return rows.toString();
        } catch (CsvParseException | IOException refused) {
            return REFUSED;
        }
    }

    private static String ownRows(String text) {
        try (CsvRows own = CsvRows.open(file(text))) {
            StringBuilder rows = new StringBuilder("1" + own.header());
            while (own.next()) {
                rows.append(own.line()).append(List.of(own.text(0), own.text(1)));
            }
            return rows.toString();
        } catch (StageException | IOException refused) {
            return REFUSED;
        }
    }

    private static Path file(String text) throws IOException {
        return Files.writeString(Jimfs.newFileSystem(Configuration.unix()).getPath("/f.csv"), text);
    }
}
