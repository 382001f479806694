package dev.stagesim.feature.studio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.api.Stagesim;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The questions of the page use keys that their stages have, and values that are valid. */
final class QuestionsTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();

    @TempDir
    Path work;

    private static List<LocatedJson> questions() throws IOException {
        try (InputStream in = StudioRoutes.class.getResourceAsStream("questions.json")) {
            return Json.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8), "questions")
                    .get("questions")
                    .items();
        }
    }

    @Test
    void haveKeysOfTheirStage() throws IOException {
        assertThat(questions()).hasSize(5);
        for (LocatedJson question : questions()) {
            Stage<?> stage = CommandRequest.stage(question.get("stage").asString());
            Set<String> keys = Form.fields(stage.spec().settings()).stream()
                    .map(Form.Field::path)
                    .collect(Collectors.toSet());
            keys.addAll(ShortKeys.of(stage).keySet());
            keys.addAll(Set.of("model", "hardware", "engine"));
            for (LocatedJson field : question.get("fields").items()) {
                assertThat(keys).contains(field.get("key").asString());
            }
        }
    }

    @Test
    void areValidWithTheirInitialValues() throws IOException {
        for (LocatedJson question : questions()) {
            List<String> words = new ArrayList<>();
            for (LocatedJson field : question.get("fields").items()) {
                String value = field.text("value", "");
                String quote = field.text("kind", "").equals("text") ? "\"" : "";
                if (!value.isEmpty()) {
                    words.add(field.get("key").asString() + "=" + quote + value + quote);
                }
            }
            Stagesim.open(HOME, work).confined().check(question.get("stage").asString(), words.toArray(String[]::new));
        }
    }
}
