package dev.stagesim.io.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    void problemsCarryFileAndLine() throws IOException {
        try (CsvRows rows = CsvRows.open(file("a,b\n1,2\n1,2,3\n"))) {
            assertThatThrownBy(() -> rows.column("c")).hasMessageContaining("column 'c' is missing");
            assertThat(rows.next()).isTrue();
            assertThatThrownBy(rows::next)
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("/f.csv:3: the row has 3 fields, the header 2");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a,b,a\n", "a, a\n", "a,b,c,b\r\n1,2,3,4\n", "\uFEFFa,\"a\"\n"})
    void refusesAColumnThatAppearsTwice(String text) throws IOException {
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
    void emptyMissingAndBrokenFilesAreUserErrors() throws IOException {
        Path empty = file("");
        assertThatThrownBy(() -> CsvRows.open(empty))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("empty");
        assertThatThrownBy(() -> CsvRows.open(empty.resolveSibling("none")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("does not exist");
        Path broken = file("a,b\n1,\"open\n");
        try (CsvRows rows = CsvRows.open(broken)) {
            assertThatThrownBy(rows::next).isInstanceOf(StageException.class).hasMessageContaining("not valid CSV");
        }
    }

    private static Path file(String text) throws IOException {
        return Files.writeString(Jimfs.newFileSystem(Configuration.unix()).getPath("/f.csv"), text);
    }
}
