package dev.stagesim.io.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Streaming of the items of one array. */
class JsonItemsTest {
    @Test
    void itemsComeOneByOneWithTheirLines() throws IOException {
        try (JsonDocuments items = JsonDocuments.openItems(file("[\n {\"a\": [1, 2]},\n 7\n]\n"), JsonMode.STRICT)) {
            JsonAt first = items.next().orElseThrow();
            assertThat(first.get("a").asLongs()).containsExactly(1, 2);
            assertThat(first.source()).endsWith(":2");
            assertThat(items.next().orElseThrow().asLong()).isEqualTo(7);
            assertThat(items.next()).isEmpty();
        }
    }

    @Test
    void anEmptyArrayHasNoItems() throws IOException {
        try (JsonDocuments items = JsonDocuments.openItems(file("[]"), JsonMode.STRICT)) {
            assertThat(items.next()).isEmpty();
        }
    }

    @Test
    void otherRootsAndBrokenTextAreUserErrors() throws IOException {
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

    private static Path file(String text) throws IOException {
        return Files.writeString(Jimfs.newFileSystem(Configuration.unix()).getPath("/f.json"), text);
    }
}
