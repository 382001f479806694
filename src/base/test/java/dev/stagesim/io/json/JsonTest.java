package dev.stagesim.io.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JsonTest {
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/work");

    JsonTest() throws IOException {
        Files.createDirectories(dir);
    }

    private Path file(String text) throws IOException {
        return Files.writeString(dir.resolve("a.json"), text);
    }

    @Test
    void writesSortedKeysTwoSpacesAndANewline() throws IOException {
        JsonValue value = JsonValue.object()
                .put("b", JsonValue.of(List.of(JsonValue.of(1), JsonValue.of(0.1), JsonValue.NULL)))
                .put(
                        "a",
                        JsonValue.object()
                                .put("z", true)
                                .put("e", JsonValue.EMPTY)
                                .build())
                .put("\u00e9\"\\\u0001", "\n\t\ud83d\ude00\ud83d")
                .put("none", JsonValue.of(List.of()))
                .build();
        Path file = dir.resolve("b.json");
        Json.write(file, value);
        assertThat(Files.readString(file))
                .isEqualTo(
                        """
                        {
                          "a": {
                            "e": {},
                            "z": true
                          },
                          "b": [
                            1,
                            0.1,
                            null
                          ],
                          "none": [],
                          "\u00e9\\"\\\\\\u0001": "\\n\\t\ud83d\ude00\\ud83d"
                        }
                        """);
        assertThat(Json.read(file).value()).isEqualTo(value);
        assertThat(Json.compact(Json.read(file).value())).startsWith("{\"a\":{\"e\":{},\"z\":true},\"b\":[1,0.1,null]");
    }

    @Test
    void rejectsNaNWhenWriting() {
        assertThatThrownBy(() -> Json.pretty(JsonValue.of(Double.NaN))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Json.compact(JsonValue.of(Double.NaN))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void keepsIntegersOfAnySizeAndReals() throws IOException {
        LocatedJson at = Json.read(file("[1, 9223372036854775808, 1.0, 1e3, -0.0]"));
        assertThat(at.array().items().get(0)).isEqualTo(new JsonValue.Int(1));
        assertThat(at.array().items().get(1)).isInstanceOf(JsonValue.Big.class);
        assertThat(Json.compact(at.value())).isEqualTo("[1,9223372036854775808,1.0,1000.0,-0.0]");
    }

    @Test
    void acceptsNaNOnlyOnRequest() throws IOException {
        Path file = file("{\"a\": [NaN, Infinity, -Infinity]}");
        assertThatThrownBy(() -> Json.read(file))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("a.json:1:");
        assertThat(Json.read(file, JsonMode.NON_FINITE).get("a").asDoubles())
                .containsExactly(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
    }

    @Test
    void readsConcatenatedObjectsWithTheirLines() throws IOException {
        Path file = file("{\"a\": 1}\n{\n  \"a\": 2\n}{\"a\": 3}\n");
        List<LocatedJson> all = Json.readAll(file, JsonMode.STRICT);
        assertThat(all).extracting(at -> at.get("a").asLong()).containsExactly(1L, 2L, 3L);
        assertThat(all)
                .extracting(LocatedJson::source)
                .containsExactly("/work/a.json:1", "/work/a.json:2", "/work/a.json:4");
        assertThatThrownBy(() -> Json.read(file)).hasMessageContaining("after the end");
    }

    @Test
    void reportsTheLocationOfMalformedText() throws IOException {
        Path broken = file("{\n  \"a\": 1,\n  \"b\" 2\n}");
        assertThatThrownBy(() -> Json.read(broken))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("/work/a.json:3:")
                .hasMessageContaining("not valid JSON");
        Path doubled = file("{\"a\": 1, \"a\": 2}");
        assertThatThrownBy(() -> Json.read(doubled)).hasMessageContaining("Duplicate");
        Path cut = file("{\"a\": [1,");
        assertThatThrownBy(() -> Json.read(cut)).isInstanceOf(StageException.class);
        Path open = file("{\"a\": 1");
        assertThatThrownBy(() -> Json.read(open))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("start marker at line: 1, column: 1)")
                .message()
                .doesNotContain("[Source");
        Path empty = file("  \n");
        assertThatThrownBy(() -> Json.read(empty)).hasMessageContaining("empty");
        assertThatThrownBy(() -> Json.read(dir.resolve("none.json")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("does not exist");
    }

    @Test
    void locatesWrongKindsByPointer() {
        LocatedJson at = Json.parse("{\"a/b\": {\"list\": [1, \"x\"]}, \"n\": 1.5, \"f\": 374.0}", "t.json");
        assertThatThrownBy(() -> at.get("a/b").get("list").asLongs())
                .hasMessage("artifact error: t.json#/a~1b/list/1: found the string \"x\", expected an integer");
        assertThatThrownBy(() -> at.get("n").asLong()).hasMessageContaining("found 1.5");
        assertThat(at.get("f").asLong()).isEqualTo(374);
        assertThatThrownBy(() -> at.get("m")).hasMessageContaining("missing").hasMessageContaining("did you mean");
        assertThatThrownBy(() -> at.allowOnly(List.of("n", "ff")))
                .satisfies(e -> assertThat(((StageException) e).problems()).hasSize(2));
    }

    @Test
    void treatsNullAsAbsent() {
        LocatedJson at = Json.parse("{\"a\": null}", "t.json");
        assertThat(at.find("a")).isEmpty();
        assertThat(at.find("b")).isEmpty();
        assertThat(at.has("a")).isTrue();
    }

    @Test
    void writesAndStreamsLines() throws IOException {
        Path file = dir.resolve("l.jsonl");
        Json.writeLines(
                file, List.of(JsonValue.of("a"), JsonValue.object().put("k", 2).build()));
        assertThat(Files.readString(file)).isEqualTo("\"a\"\n{\"k\":2}\n");
        try (JsonDocuments lines = Json.stream(file, JsonMode.STRICT)) {
            assertThat(lines.next().orElseThrow().asString()).isEqualTo("a");
            assertThat(lines.next().orElseThrow().source()).isEqualTo("/work/l.jsonl:2");
            assertThat(lines.next()).isEmpty();
        }
    }

    @Test
    void validatesAgainstASchema() {
        JsonSchemaCheck check = new JsonSchemaCheck(
                """
                {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}, "b": {"type": "array",
                 "items": {"type": "string"}}}}
                """);
        assertThat(check.problems(Json.parse("{\"a\": 1}", "x"))).isEmpty();
        assertThat(check.problems(Json.parse("{\"b\": [1]}", "x")))
                .extracting(problem -> problem.where())
                .containsExactly("x", "x#/b/0");
    }

    @Test
    void printsAsPythonDoes() {
        JsonValue value = JsonValue.object()
                .put("\ud83d\ude00", Double.NaN)
                .put("\uff00", 1)
                .put("\u00fc", JsonValue.of(List.of(JsonValue.of(1.0), JsonValue.of(1e-7), JsonValue.of(true))))
                .put("a", "\u00e9\n\u007f")
                .put("e", JsonValue.EMPTY)
                .build();
        assertThat(Json.python(value))
                .isEqualTo(
                        """
                {
                  "a": "\\u00e9\\n\\u007f",
                  "e": {},
                  "\\u00fc": [
                    1.0,
                    1e-07,
                    true
                  ],
                  "\\uff00": 1,
                  "\\ud83d\\ude00": NaN
                }""");
    }
}
