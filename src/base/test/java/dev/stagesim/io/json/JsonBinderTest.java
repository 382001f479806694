package dev.stagesim.io.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.contract.Member;
import dev.stagesim.model.StageException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

final class JsonBinderTest {
    private static final List<JsonBinder> BINDERS = List.of(JsonBinder.OWN, JsonBinder.STRICT, JsonBinder.FOREIGN);

    private enum Level {
        VERY_HIGH,
        LOW
    }

    private record Part(int count, Optional<Double> share) {
        Part {
            if (count < 0) {
                throw new IllegalArgumentException("count is " + count + ", expected at least 0");
            }
        }
    }

    private record Whole(
            @JsonProperty("Name") String name,
            Level level,
            List<Part> parts,
            Map<String, Optional<String>> choices,
            boolean isDone,
            long sizeBytes,
            JsonValue extra,
            @Member(value = "left out", isLeftOut = true) Optional<JsonValue.Obj> more) {}

    private static final String TEXT =
            """
            {
              "Name": "a",
              "level": "very_high",
              "parts": [{"count": 1, "share": null}, {"count": 2.0, "share": 3}],
              "choices": {"x": null, "y": "b"},
              "is_done": true,
              "size_bytes": 1099511627776,
              "extra": [1, null]
            }
            """;
    private static final Whole WHOLE = new Whole(
            "a",
            Level.VERY_HIGH,
            List.of(new Part(1, Optional.empty()), new Part(2, Optional.of(3.0))),
            Map.of("x", Optional.empty(), "y", Optional.of("b")),
            true,
            1L << 40,
            JsonValue.of(List.of(JsonValue.of(1), JsonValue.NULL)),
            Optional.empty());

    @ParameterizedTest
    @FieldSource("BINDERS")
    void bindsTextTreesAndFiles(JsonBinder binder) throws Exception {
        assertThat(binder.parse(TEXT, "here", Whole.class)).isEqualTo(WHOLE);
        assertThat(binder.bind(Json.parse(TEXT, "here"), Whole.class)).isEqualTo(WHOLE);
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path file = Files.writeString(files.getPath("a.json"), TEXT);
            assertThat(binder.read(file, Whole.class)).isEqualTo(WHOLE);
        }
    }

    @ParameterizedTest
    @FieldSource("BINDERS")
    void bindsWrittenDocuments(JsonBinder binder) {
        Part part = new Part(2, Optional.of(0.5));
        assertThat(binder.parse(Json.pretty(RecordJson.write(part)), "here", Part.class))
                .isEqualTo(part);
    }

    /** Each wrong value by the text that it replaces, the line and pointer of the error, and a part of its message. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    "a",                    | 7,             | 2#/Name           | found 7, expected a string
                    "a",                    | null,          | 2#/Name           | found null, expected a string
                    "very_high"             | "high"         | 3#/level          | expected one of very_high, low
                    "very_high"             | 0              | 3#/level          | found 0, expected one of
                    [{"count": 1            | [{"count": "1" | 4#/parts/0/count  | found the string "1", expected an integer
                    {"count": 2.0           | {"count": 2.5  | 4#/parts/1/count  | found 2.5, expected an integer
                    {"count": 2.0           | {"count": 3000000000 | 4#/parts/1/count | expected an integer of 32 bits
                    {"count": 2.0           | {"count": null | 4#/parts/1/count  | found null
                    {"count": 2.0           | {"count": -2   | 4#/parts/1        | count is -2, expected at least 0
                    {"count": 2.0,          | {              | 4#/parts/1        | member 'count' is missing
                    "share": 3}             | "share": "3"}  | 4#/parts/1/share  | expected a number
                    {"count": 1, "share": null} | null       | 4#/parts/0        | found null, expected an object
                    {"count": 1, "share": null} | 5          | 4#/parts/0        | found 5, expected an object
                    "y": "b"                | "y": 1         | 5#/choices/y      | expected a string
                    {"x": null, "y": "b"}   | []             | 5#/choices        | found an array, expected an object
                    true                    | 1              | 6#/is_done        | expected true or false
                    true                    | "true"         | 6#/is_done        | expected true or false
                    1099511627776           | 1e30           | 7#/size_bytes     | expected an integer
                    1099511627776           | 99999999999999999999 | 7#/size_bytes | expected an integer
                    1099511627776           | {}             | 7#/size_bytes     | found an object, expected an integer
                    [1, null]               | [1], "more": 2 | 8#/more           | found 2, expected an object
                    """)
    void locatesEveryWrongValue(String was, String is, String place, String message) {
        for (JsonBinder binder : BINDERS) {
            assertThatExceptionOfType(StageException.class)
                    .isThrownBy(() -> binder.parse(TEXT.replace(was, is), "f.json", Whole.class))
                    .satisfies(e -> assertThat(e.problems().get(0).where()).isEqualTo("f.json:" + place))
                    .withMessageContaining(message);
            assertThatExceptionOfType(StageException.class)
                    .isThrownBy(() -> binder.bind(Json.parse(TEXT.replace(was, is), "f.json:9"), Whole.class))
                    .satisfies(e -> assertThat(e.problems().get(0).where())
                            .isEqualTo("f.json:9" + place.substring(place.indexOf('#'))))
                    .withMessageContaining(message);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {"count": 1, "share": null        | f.json:1
                    {"count": 1, "share": null} {}    | f.json:1
                    {"count": 1, "count": 2}          | f.json:1
                    {"count": 1, "share": [}          | f.json:1
                    {"count": 01}                     | f.json:1
                    ''                                | f.json
                    """)
    void rejectsTextThatIsNoDocument(String text, String place) {
        for (JsonBinder binder : BINDERS) {
            assertThatExceptionOfType(StageException.class)
                    .isThrownBy(() -> binder.parse(text, "f.json", Part.class))
                    .satisfies(e -> assertThat(e.problems().get(0).where()).startsWith(place));
        }
        String deep = "[".repeat(5000);
        assertThatExceptionOfType(StageException.class)
                .isThrownBy(() -> JsonBinder.FOREIGN.parse("{\"count\": " + deep, "f.json", Part.class));
        assertThatExceptionOfType(StageException.class)
                .isThrownBy(() -> JsonBinder.FOREIGN.parse("{\"other\": " + deep, "f.json", Part.class));
    }

    @Test
    void appliesPoliciesToUnknownAndOptionalMembers() {
        String unknown = "{\"count\": 1, \"share\": null, \"shares\": {\"count\": [NaN]}}";
        assertThat(JsonBinder.FOREIGN.parse(unknown, "f.json", Part.class)).isEqualTo(new Part(1, Optional.empty()));
        for (JsonBinder binder : List.of(JsonBinder.OWN, JsonBinder.STRICT)) {
            assertThatExceptionOfType(StageException.class)
                    .isThrownBy(() -> binder.parse(unknown, "f.json", Part.class))
                    .satisfies(e -> assertThat(e.problems().get(0).where()).isEqualTo("f.json:1#/shares"))
                    .withMessageContaining("unknown member 'shares'")
                    .withMessageContaining("count, share");
        }
        for (JsonBinder binder : List.of(JsonBinder.FOREIGN, JsonBinder.STRICT)) {
            assertThat(binder.parse("{\"count\": 1}", "f.json", Part.class)).isEqualTo(new Part(1, Optional.empty()));
        }
        assertThatExceptionOfType(StageException.class)
                .isThrownBy(() -> JsonBinder.OWN.parse("{\"count\": 1}", "f.json", Part.class))
                .withMessageContaining("f.json:1: member 'share' is missing");
    }

    @Test
    void reportsAMissingFileAsAnInputError() throws Exception {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            assertThatExceptionOfType(StageException.class)
                    .isThrownBy(() -> JsonBinder.OWN.read(files.getPath("no.json"), Part.class))
                    .withMessageContaining("no.json: the file does not exist");
        }
    }

    @Member("part.json 3 | A document with a version.")
    private record Document(@Member("Its parts.") List<String> parts) {}

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    "schema_version": 3,     |
                    "schema_version": 4,     | f.json: found contract version 4, expected contract version 3
                    ``                       | f.json: member 'schema_version' is missing
                    "schema_version": "3",   | f.json: found contract version the string "3", expected contract version 3
                    "schema_version": 3, "schema_version": 3, | f.json:2
                    "schema_version": 3, "part": [], | f.json:2#/part: unknown member 'part'
                    """)
    void checksTheVersionOfADocument(String version, @Nullable String problem) throws Exception {
        String text = "{\n" + (version == null ? "" : version) + "\n\"parts\":\n[\n]\n}\n";
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path file = Files.writeString(files.getPath("f.json"), text);
            JsonArtifact artifact = JsonArtifact.of(Document.class);
            if (problem == null) {
                assertThat(JsonBinder.OWN.read(file, Document.class, artifact)).isEqualTo(new Document(List.of()));
            } else {
                assertThatExceptionOfType(StageException.class)
                        .isThrownBy(() -> JsonBinder.OWN.read(file, Document.class, artifact))
                        .withMessageContaining(problem);
            }
        }
    }
}
