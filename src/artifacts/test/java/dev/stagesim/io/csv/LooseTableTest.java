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

final class LooseTableTest {
    private final Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/t.csv");

    private LooseTable read(String text) throws IOException {
        Files.writeString(file, text);
        return LooseTable.read(file);
    }

    @Test
    void readsColumnsInAnyOrderAndWithoutAName() throws IOException {
        LooseTable table = read(",b,a\n0,1.5,x\n1,,y\n");
        assertThat(table.columns()).containsExactly("", "b", "a");
        assertThat(table.size()).isEqualTo(2);
        assertThat(table.number(0, "b")).isEqualTo(1.5);
        assertThat(table.isEmpty(1, "b")).isTrue();
        assertThat(table.text(1, "a")).isEqualTo("y");
        assertThat(table.has("c")).isFalse();
    }

    @Test
    void removesTheByteOrderMark() throws IOException {
        assertThat(read("\uFEFFa,b\n1,2\n").integer(0, "a")).isEqualTo(1);
    }

    @Test
    void dropsRepeatedRowsAndKeepsLocations() throws IOException {
        LooseTable table = read("a,b\n1,2\n1,2\n1,3\n").distinct();
        assertThat(table.size()).isEqualTo(2);
        assertThat(table.where(1)).isEqualTo("/t.csv:4");
    }

    @Test
    void readsWholeNumbersWrittenAsReals() throws IOException {
        LooseTable table = read("a\n4096.0\n1.5\n");
        assertThat(table.integer(0, "a")).isEqualTo(4096);
        assertThatThrownBy(() -> table.integer(1, "a"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("/t.csv:3: column 'a' is '1.5', expected a whole number");
    }

    @Test
    void reportsOtherDifferencesAsInputErrors() throws IOException {
        assertThatThrownBy(() -> LooseTable.read(file.resolveSibling("none.csv")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("/none.csv: the file does not exist");
        assertThatThrownBy(() -> read("")).hasMessageContaining("the file is empty, expected a CSV header");
        assertThatThrownBy(() -> read("a,b\n1,2\n3\n"))
                .hasMessageContaining("/t.csv:3")
                .hasMessageContaining("1 fields, but the header has 2");
        LooseTable table = read("a\nfast\nNaN\n");
        assertThatThrownBy(() -> table.number(0, "a")).hasMessageContaining("'fast', expected a number");
        assertThatThrownBy(() -> table.number(1, "a")).hasMessageContaining("'NaN', expected a number");
        assertThatThrownBy(() -> table.number(1, "z"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("column 'z' is missing");
    }
}
