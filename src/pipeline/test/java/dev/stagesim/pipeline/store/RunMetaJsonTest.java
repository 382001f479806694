package dev.stagesim.pipeline.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RunMetaJsonTest {
    private static final String SHA = "0".repeat(64);

    @TempDir
    private Path dir;

    private static RunMeta meta(Optional<String> text, List<Problem> checks) {
        return new RunMeta(
                "a-0123456789",
                "a",
                text,
                text,
                "2026-01-02T03:04:05Z",
                "2026-01-02T03:04:06Z",
                "unknown",
                text.map(String::isEmpty),
                JsonValue.of(Map.of()),
                JsonValue.of(Map.of("x", JsonValue.of(1.5))),
                new RunMeta.Config(text, text, List.of("x=1.5")),
                List.of(new RunMeta.Input("in", "in.csv", text, SHA)),
                List.of(new RunMeta.Output("out.csv", SHA, text.map(given -> 3L))),
                List.of(new RunMeta.Warning("a", "careful")),
                new TreeMap<>(Map.of("one", 1.0)),
                checks);
    }

    private Path written(String text) throws IOException {
        return Files.writeString(dir.resolve(RunMetaJson.FILE), text);
    }

    @Test
    void readsWhatItWrites() throws IOException {
        Problem failed = Problem.config("key", "failed").hint("change it");
        for (Optional<String> text : List.of(Optional.<String>empty(), Optional.of("given"))) {
            for (List<Problem> checks : List.of(List.<Problem>of(), List.of(failed))) {
                RunMeta meta = meta(text, checks);
                assertThat(RunMetaJson.read(written(Json.pretty(RunMetaJson.write(meta)))))
                        .isEqualTo(meta);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"role\": \"in\"       | \"role\": 1          | :%d#/inputs/0/role: found 1, expected a string",
                "\"role\": \"in\"       | \"rule\": \"in\"     | #/inputs/0: member 'role' is missing",
                "\"role\": \"in\"       | \"role\": \"in\", \"more\": 1 | unknown member 'more'",
                "\"rows\": 3            | \"rows\": 3.5        | :%d#/outputs/0/rows: found 3.5, expected an integer",
                "\"run_type\": \"a\",   | ``                   | member 'run_type' is missing",
                "\"schema_version\": 2  | \"schema_version\": 1 | found contract version 1",
            })
    void locatesDeviations(String valid, String deviation, String message) throws IOException {
        String text = Json.pretty(RunMetaJson.write(meta(Optional.of("given"), List.of())));
        assertThat(text).contains(valid);
        int line = (int) text.substring(0, text.indexOf(valid)).lines().count();
        Path file = written(text.replace(valid, deviation));
        assertThatThrownBy(() -> RunMetaJson.read(file))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(String.format(message, line));
    }
}
