package dev.stagesim.io.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PlainTest {
    private static JsonValue json(String text) {
        return Json.parse(text, "text").value();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "3 | 3 | 3.0 | true",
                "-2.9 | -2 | -2.9 | true",
                "true | 1 | 1.0 | true",
                "0 | 0 | 0.0 | false",
                "'\" 1_000 \"' | 1000 | 1000.0 | true",
                "'\"1e3\"' | - | 1000.0 | true",
                "'\"\"' | - | - | false",
                "null | - | - | false",
                "[] | - | - | false",
                "{} | - | - | false",
            })
    void convertsValuesAsPythonDoes(String text, String integer, String real, boolean truth) {
        JsonValue value = json(text);
        assertThat(Plain.integer(value).map(Object::toString).orElse("-")).isEqualTo(integer);
        assertThat(Plain.real(value).map(Object::toString).orElse("-")).isEqualTo(real);
        assertThat(Plain.truth(value)).isEqualTo(truth);
    }

    @Test
    void mergesMappingsAndReplacesOtherValues() {
        JsonValue.Obj merged = Plain.merge((JsonValue.Obj) json("{\"a\":{\"b\":1,\"c\":[1]},\"d\":2}"), (JsonValue.Obj)
                json("{\"a\":{\"c\":[2]},\"d\":{\"e\":3}}"));
        assertThat(merged).isEqualTo(json("{\"a\":{\"b\":1,\"c\":[2]},\"d\":{\"e\":3}}"));
    }

    @Test
    void reportsAllMissingKeysAtOnce() throws IOException {
        try (FileSystem system = Jimfs.newFileSystem(Configuration.unix())) {
            Path file = Files.writeString(system.getPath("w.yaml"), "- {name: a, framework: x, trak: y}\n");
            assertThatThrownBy(() -> Catalog.workload(file, "a"))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("'params' is missing")
                    .hasMessageContaining("'sequence' is missing")
                    .hasMessageContaining("'track' is missing")
                    .hasMessageContaining("trak");
            assertThatThrownBy(() -> Catalog.workload(file, "b"))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("no workload named 'b'");
        }
    }
}
