package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid {@code stage table} requests end with exit code 2 and one message, and write nothing. */
class TableMistakesTest {
    @TempDir
    private Path dir;

    private String printed = "";

    @BeforeEach
    void table() throws IOException {
        Files.write(dir.resolve("t.csv"), List.of("id,kind,ns", "0,a,5", "1,b,7", "2,a,9"));
    }

    private int run(String words) {
        return command("t " + words);
    }

    private int command(String words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        String[] all = Stream.concat(
                        Stream.of("table", dir.toString()),
                        Arrays.stream(words.split(" ")).filter(word -> !word.isEmpty()))
                .toArray(String[]::new);
        int exit = new Cli(new Console(stream, stream, false, false), Home.fromEnvironment()).run(all);
        printed = out.toString(StandardCharsets.UTF_8);
        return exit;
    }

    @Test
    void rejectsADirectoryWithoutTables() throws IOException {
        Files.delete(dir.resolve("t.csv"));
        assertThat(command("")).isEqualTo(ExitCode.INPUT);
        assertThat(printed).contains("has no tables");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--limit 1",
                "--summarise mean(ns)",
                "--where ns>1",
                "--sort ns",
                "--columns ns",
                "--describe",
                "--pivot kind,id,mean(ns)",
                "--join other",
                "--format csv",
                "--output x.csv"
            })
    void rejectsAQueryWithoutATable(String words) {
        assertThat(command("")).isZero();
        assertThat(command(words)).as(printed).isEqualTo(ExitCode.INPUT);
        assertThat(printed).contains("TABLE: is missing");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--group kind --summarise mean(ns),mean(ns)",
                "--group kind,kind --summarise mean(ns)",
                "--group kind --summarise count(),count()",
                "--pivot kind,kind,mean(ns)",
                "--pivot kind,ns",
                "--columns id,id",
                "--columns gone",
                "--sort gone",
                "--limit -1",
                "--limit -9223372036854775808",
                "--limit x",
                "--group kind",
                "--summarise mean(ns) --describe",
                "--where gone>1",
                "--format parquet",
            })
    void reportsAMistakeAsOneInputError(String words) {
        assertThat(run(words)).as(printed).isEqualTo(2);
        assertThat(printed).isNotBlank().doesNotContain("internal error");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--limit 0", "--limit 2", "--group kind --summarise mean(ns),max(ns)", "--columns ns,id"})
    void printsAValidTable(String words) {
        assertThat(run(words)).as(printed).isZero();
    }

    @Test
    void summarisesAllRowsWithoutAGroup() {
        assertThat(run("--summarise count,mean(ns),max(ns) --format csv"))
                .as(printed)
                .isZero();
        assertThat(printed.lines()).containsExactly("count,mean(ns),max(ns)", "3,7.0,9.0");
        assertThat(run("--where ns>100 --summarise count --format csv"))
                .as(printed)
                .isZero();
        assertThat(printed.lines()).containsExactly("count", "0");
    }

    /** The output must be a file, so a directory stays unchanged, empty or not. */
    @Test
    void keepsADirectory() throws IOException {
        Path empty = Files.createDirectories(dir.resolve("empty"));
        Path full = Files.createDirectories(dir.resolve("full"));
        Files.writeString(full.resolve("kept"), "x");
        for (Path output : List.of(empty, full)) {
            assertThat(run("--output " + output)).as(printed).isEqualTo(2);
            assertThat(output).isDirectory();
        }
        assertThat(full.resolve("kept")).hasContent("x");
    }
}
