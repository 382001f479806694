package dev.stagesim.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineProgramTest {
    @TempDir
    Path home;

    @Test
    void compilesUnchangedSourcesOnce() throws IOException {
        Path sources = Files.createDirectories(EngineProgram.sources(home, "one"));
        Path file = Files.writeString(sources.resolve("A.java"), "final class A {}");
        Path kept = home.resolve("kept");
        Path program = EngineProgram.jar(List.of(), home, "one", kept);
        try (JarFile jar = new JarFile(program.toFile())) {
            assertThat(jar.getEntry("A.class")).isNotNull();
        }
        Files.writeString(program, "kept as it is");
        assertThat(EngineProgram.jar(List.of(), home, "one", kept))
                .isEqualTo(program)
                .hasContent("kept as it is");
        Files.writeString(file, "final class A { int a; }");
        assertThat(EngineProgram.jar(List.of(), home, "one", kept)).isNotEqualTo(program);
        assertThat(kept).isDirectoryNotContaining("glob:**/.*");
    }

    @Test
    void reportsSourcesThatDoNotCompile() throws IOException {
        Path sources = Files.createDirectories(EngineProgram.sources(home, "two"));
        Files.writeString(sources.resolve("A.java"), "final class A { nonsense }");
        assertThatThrownBy(() -> EngineProgram.jar(List.of(), home, "two", home.resolve("kept")))
                .hasMessageContaining("does not compile");
    }
}
