package dev.stagesim.io.times;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.PredictionTable;
import dev.stagesim.predict.TableTimes;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TimesFolderTest {
    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private final Path folder = files.getPath("/");

    @AfterEach
    void close() throws IOException {
        files.close();
    }

    @Test
    void readsPlainAndCompressedTables() throws IOException {
        Files.writeString(folder.resolve("add.csv"), "num_tokens_from,num_tokens_to,ms\n1,8,0.5\n9,16,0.75");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(folder.resolve("attn_decode.csv.gz")))) {
            out.write("a,b,c,d,ms\n1,2,0,64,1e-3\r\n".getBytes(StandardCharsets.UTF_8));
        }
        List<PredictionTable> tables = TimesFolder.read(folder);
        assertThat(tables.stream().map(PredictionTable::operator)).containsExactly(Operator.ADD, Operator.ATTN_DECODE);
        OperatorTimes times = TableTimes.of(64, tables);
        assertThat(times.milliseconds(Operator.ADD, 9)).isEqualTo(0.75);
        assertThat(times.decodeMilliseconds(2, 64)).isEqualTo(0.001);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "1,8|expected num_tokens_from",
                "1,x,0.5|whole numbers",
                "8,1,0.5|ends before it begins",
                "1,8,fast|'fast' is not a time",
                "1,8,NaN|'NaN' is not a time",
                "1,9999999999,0.5|whole numbers"
            })
    void reportsTheLineOfAnInvalidRow(String row, String message) throws IOException {
        Files.writeString(folder.resolve("add.csv"), "num_tokens_from,num_tokens_to,ms\n1,1,0.5\n" + row + "\n");
        assertThatThrownBy(() -> TimesFolder.read(folder))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("add.csv:3")
                .hasMessageContaining(message);
    }

    @Test
    void rejectsAFolderWithoutTables() {
        assertThatThrownBy(() -> TimesFolder.read(folder))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("no tables of operator times");
    }
}
