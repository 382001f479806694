package dev.stagesim.io.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams the items of one array. */
class JsonItemsTest {
    @Test
    void streamsItemsWithTheirLines() throws IOException {
        try (JsonDocuments items = JsonDocuments.openItems(file("[\n {\"a\": [1, 2]},\n 7\n]\n"), JsonMode.STRICT)) {
            LocatedJson first = items.next().orElseThrow();
            assertThat(first.get("a").asLongs()).containsExactly(1, 2);
            assertThat(first.source()).endsWith(":2");
            assertThat(items.next().orElseThrow().asLong()).isEqualTo(7);
            assertThat(items.next()).isEmpty();
        }
    }

    @Test
    void streamsNothingFromAnEmptyArray() throws IOException {
        try (JsonDocuments items = JsonDocuments.openItems(file("[]"), JsonMode.STRICT)) {
            assertThat(items.next()).isEmpty();
        }
    }

    @Test
    void reportsOtherRootsAndBrokenTextAsInputErrors() throws IOException {
        Path object = file("{}");
        assertThatThrownBy(() -> JsonDocuments.openItems(object, JsonMode.STRICT))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("expected a JSON array");
        Path cut = file("[{\"a\": 1}, {\"a\"");
        try (JsonDocuments items = JsonDocuments.openItems(cut, JsonMode.STRICT)) {
            assertThat(items.next()).isPresent();
            assertThatThrownBy(items::next).isInstanceOf(StageException.class).hasMessageContaining("not valid JSON");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"[1] [2]", "[1]\n{}", "[]]", "[1],", "[1]x"})
    void rejectsTextAfterTheArray(String text) throws IOException {
        try (JsonDocuments items = JsonDocuments.openItems(file(text), JsonMode.NON_FINITE)) {
            assertThatThrownBy(() -> {
                        while (items.next().isPresent()) {}
                    })
                    .isInstanceOf(StageException.class)
                    .hasMessageMatching("(?s).*f.json:[12].*");
        }
    }

    @ParameterizedTest
    @EnumSource(JsonMode.class)
    void rejectsDuplicateMembers(JsonMode mode) throws IOException {
        Path file = file("{\"b\": [{\"a\": 1,\n \"a\": 2}]}");
        assertThatThrownBy(() -> Json.readAll(file, mode)).hasMessageContaining("f.json:2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"traceEvents\": []} {}",
                "{\"traceEvents\": [],\n \"traceEvents\": []}",
                "[{\"ph\": \"X\", \"ph\": \"B\"}]",
                "[] []"
            })
    void rejectsAmbiguousChromeTraces(String text) {
        ByteArrayInputStream in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> ChromeEvents.read(in, "t.json", event -> {}))
                .isInstanceOf(StageException.class)
                .hasMessageMatching("(?s).*t.json:[12].*");
    }

    private static Path file(String text) throws IOException {
        return Files.writeString(Jimfs.newFileSystem(Configuration.unix()).getPath("/f.json"), text);
    }
}
