package dev.stagesim.pipeline.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IoErrorsTest {
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/run");

    private void file(String name, long ms) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "x");
        Files.setLastModifiedTime(file, FileTime.fromMillis(ms));
    }

    @ParameterizedTest
    @ValueSource(strings = {"No space left on device", "File too large", "Disk quota exceeded"})
    void namesTheFileWhenTheDiskIsFull(String why) throws IOException {
        file("a.csv", 1000);
        file("deep/trace.json", 3000);
        file("b.csv", 2000);
        for (Exception failure :
                new Exception[] {new IOException(why), new UncheckedIOException(new IOException(why))}) {
            Exception named = IoErrors.naming(failure, dir);
            assertThat(IoErrors.describe(named)).isEqualTo("/run/deep/trace.json: " + why);
            assertThat(IoErrors.problem("stage failed", "x", named).render())
                    .startsWith("stage failed: x: /run/deep/trace.json: " + why)
                    .contains("hint");
        }
    }

    @Test
    void namesTheDirectoryWithoutAFile() throws IOException {
        Files.createDirectories(dir);
        Exception named = IoErrors.naming(new IOException("No space left on device"), dir);
        assertThat(IoErrors.describe(named)).isEqualTo("/run: No space left on device");
    }

    @Test
    void keepsOtherErrors() throws IOException {
        file("a.csv", 1000);
        IOException read = new IOException("Not in GZIP format");
        assertThat(IoErrors.naming(read, dir)).isSameAs(read);
        FileSystemException known = new FileSystemException("/else/b", null, "No space left on device");
        assertThat(IoErrors.naming(known, dir)).isSameAs(known);
        assertThat(IoErrors.problem("a", "b", known).render()).contains("/else/b: No space left on device", "hint");
    }
}
