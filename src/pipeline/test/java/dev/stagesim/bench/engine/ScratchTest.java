package dev.stagesim.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ScratchTest {
    @TempDir
    private Path out;

    @Test
    void deletesFilesOfOtherProcesses() throws IOException {
        try (Scratch scratch = Scratch.in(out)) {
            assertThat(scratch.dir()).isDirectory().startsWith(out);
            Files.createDirectories(scratch.dir().resolve("records/deep"));
            Files.writeString(scratch.dir().resolve("records/deep/one"), "x");
            Files.writeString(scratch.dir().resolve("hs_err_pid1.log"), "x");
        }
        assertThat(out).isEmptyDirectory();
    }

    @Test
    void reportsEngineFailureFirst() {
        assertThatThrownBy(() -> {
                    try (Scratch scratch = Scratch.in(out)) {
                        Files.delete(scratch.dir());
                        throw new IllegalStateException("the engine died");
                    }
                })
                .hasMessage("the engine died");
    }

    @Test
    void usesDiskWhenRunIsInMemory() throws IOException {
        try (Scratch scratch = Scratch.in(Jimfs.newFileSystem().getPath("/work"))) {
            assertThat(scratch.dir().toFile()).isDirectory();
        }
    }
}
