package dev.stagesim.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.ConfigReference;
import dev.stagesim.config.bind.ConfigReferenceLinks;
import dev.stagesim.contract.ArtifactReference;
import dev.stagesim.contract.Exchanged;
import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.hf.ModelReference;
import dev.stagesim.io.json.ArtifactSchemas;
import dev.stagesim.io.json.Json;
import dev.stagesim.pipeline.RunSettings;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.SweepSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the generated files in {@code specs/} with the code; {@code -Dstagesim.update} writes them. */
final class ReferenceFilesTest {
    private static final List<Stage<?>> STAGES = StageRegistry.standard().stages();

    @Test
    void matchesTheArtifactPage() throws IOException {
        check("specs/reference/artifacts.md", ArtifactReference.markdown(tables(), Exchanged.JSON));
    }

    @Test
    void usesUniqueTableNames() {
        assertThat(tables().stream().map(TableSchema::name)).doesNotHaveDuplicates();
    }

    @Test
    void matchesTheConfigPage() throws IOException {
        check("specs/reference/config.md", ConfigReference.markdown(roots()));
    }

    @Test
    void linksEveryKeyOfEveryStageOnTheConfigPage() {
        ConfigReferenceLinks.assertLeadsToAllKeys(ConfigReference.markdown(roots()), roots());
    }

    private static Map<String, Class<? extends Record>> roots() {
        Map<String, Class<? extends Record>> roots = new LinkedHashMap<>();
        STAGES.forEach(
                stage -> roots.put("Stage " + stage.spec().name(), stage.spec().settings()));
        roots.put("Every stage", RunSettings.class);
        roots.put("Every sweep", SweepSettings.class);
        return roots;
    }

    @Test
    void matchesTheModelsPage() throws IOException {
        check("specs/reference/models.md", ModelReference.markdown());
    }

    @Test
    void matchesTheSchemas() throws IOException {
        for (JsonArtifact artifact : Exchanged.JSON) {
            String name = artifact.name().replace(".json", ".schema.json");
            check("specs/schemas/" + name, Json.pretty(ArtifactSchemas.schema(artifact)));
        }
    }

    /** Returns the exchanged tables, followed by the tables of single stages. */
    private static List<TableSchema> tables() {
        return Stream.concat(
                        Exchanged.TABLES.stream(), STAGES.stream().flatMap(stage -> stage.spec().tables().stream()))
                .distinct()
                .toList();
    }

    private static void check(String name, String text) throws IOException {
        ReferencePage.assertUpToDate(ReferencePage.HOME.resolve(Path.of(name)), text);
    }
}
