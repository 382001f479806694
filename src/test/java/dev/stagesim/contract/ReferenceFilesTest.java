package dev.stagesim.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.ArtifactSchemas;
import dev.stagesim.io.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the generated files in {@code specs/} with the code; {@code -Dstagesim.update} writes them. */
final class ReferenceFilesTest {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", "."));

    @Test
    void referencePageIsCurrent() throws IOException {
        check("specs/reference/artifacts.md", ArtifactReference.markdown(tables(), JsonArtifacts.all()));
    }

    @Test
    void schemasAreCurrent() throws IOException {
        for (JsonArtifact artifact : JsonArtifacts.all()) {
            String name = artifact.name().replace(".json", ".schema.json");
            check("specs/schemas/" + name, Json.pretty(ArtifactSchemas.schema(artifact)));
        }
    }

    private static List<TableSchema> tables() {
        return Stream.of(Tables.all(), SimulationTables.all(), CompareTables.all())
                .flatMap(List::stream)
                .toList();
    }

    private static void check(String name, String text) throws IOException {
        Path file = HOME.resolve(name);
        if (System.getProperty("stagesim.update") != null) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        }
        assertThat(Files.readString(file))
                .as(name + " (rewrite with -Dstagesim.update)")
                .isEqualTo(text);
    }
}
