package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.pipeline.StageRegistry;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The outline and the schema list the same keys. */
class KeyOutlineTest {
    static Stream<Class<? extends Record>> settings() {
        return StageRegistry.standard().stages().stream()
                .map(stage -> stage.spec().settings());
    }

    @ParameterizedTest
    @MethodSource("settings")
    void agreesWithTheSchemaOnEverySection(Class<? extends Record> type) {
        SettingsSchema schema = SettingsSchema.of(type);
        assertThat(KeyOutline.children(type, "").keySet()).containsExactlyElementsOf(schema.children(""));
        for (KeyDoc key : KeyDocs.list(type)) {
            if (key.isSection() && !key.path().contains("<")) {
                assertThat(KeyOutline.children(type, key.path()).keySet())
                        .as(key.path())
                        .containsExactlyElementsOf(schema.children(key.path()));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    void offersTheOptionsOfTheSchema(Class<? extends Record> type) {
        for (KeyDoc key : KeyDocs.list(type)) {
            if (!key.options().isEmpty() && !key.isSection() && !key.path().contains("<")) {
                assertThat(KeyOutline.values(type, key.path())).as(key.path()).containsAll(key.options());
            }
        }
    }
}
