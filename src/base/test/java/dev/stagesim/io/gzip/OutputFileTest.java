package dev.stagesim.io.gzip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class OutputFileTest {
    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private final Path run = files.getPath("/work/tmp/stage/run");

    @BeforeEach
    void aRunBesideOtherFiles() throws IOException {
        Files.createDirectories(run);
        Files.createDirectories(files.getPath("/work/outside"));
        Files.createSymbolicLink(run.resolve("link"), files.getPath("/work/outside"));
        Files.createSymbolicLink(run.resolve("file"), files.getPath("/work/outside/x"));
        Files.createSymbolicLink(run.resolve("inner"), files.getPath("/work/tmp/stage/run"));
    }

    @AfterEach
    void close() throws IOException {
        files.close();
    }

    @Test
    void createsFoldersBelowTheRun() throws IOException {
        assertThat(OutputFile.in(run, "a/b/c.csv")).isEqualTo(run.resolve("a/b/c.csv"));
        assertThat(run.resolve("a/b")).isDirectory();
        assertThat(OutputFile.in(run, "inner/c.csv")).isEqualTo(run.resolve("inner/c.csv"));
        assertThat(OutputFile.in(files.getPath("/work/new"), "x")).isEqualTo(files.getPath("/work/new/x"));
    }

    @Test
    void rejectsNamesOutsideOfTheRun() throws IOException {
        for (String name : List.of("../x", "/etc/x", "a/../../x", "", ".", "..", "link/x", "link/new/x", "file")) {
            assertThatThrownBy(() -> OutputFile.in(run, name))
                    .as(name)
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("outside");
        }
        assertThatThrownBy(() -> OutputFile.in(run, "a\0b")).isInstanceOf(StageException.class);
        try (var outside = Files.list(files.getPath("/work/outside"))) {
            assertThat(outside).isEmpty();
        }
    }
}
