package dev.stagesim.io.measured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.measured.formats.ResultFormats;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Reads results with the prefixes of a launcher, in every text format. The values equal the values without prefixes.
 */
class LauncherOutputTest {
    private static final Path SHIPPED =
            Path.of(System.getProperty("stagesim.home", ".")).resolve("tests-data/measured");
    private static final List<String> PREFIXES = List.of(
            "[1,0]<stdout>:", "0: ", "node01: ", "[pod/bench-0/main] ", "2026-11-28T10:00:00.123Z ", "run-1  | ");
    private static final ReadOptions FIRST = new ReadOptions(Optional.of(0), Optional.empty());

    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/logs");

    static List<Arguments> results() throws IOException {
        List<Arguments> results = new ArrayList<>();
        try (Stream<Path> files = Files.list(SHIPPED)) {
            for (Path file : files.filter(f -> f.toString().matches(".*\\.(json|jsonl|csv|txt)"))
                    .sorted()
                    .toList()) {
                // Some results are files or downloads that no launcher prints.
                if (!file.toString().matches(".*/(blis.csv|vidur.csv|sequence_metrics.csv|prometheus.txt)")) {
                    PREFIXES.forEach(prefix ->
                            results.add(Arguments.of(file.getFileName().toString(), prefix)));
                }
            }
        }
        return results;
    }

    private Measurement read(String name, String text) throws IOException {
        Files.createDirectories(dir);
        Path file = Files.writeString(dir.resolve(name), text);
        try {
            return ResultFormats.read(file, Optional.empty(), ReadOptions.NONE);
        } catch (StageException several) {
            assertThat(several.getMessage()).contains("real.entry");
            return ResultFormats.read(file, Optional.empty(), FIRST);
        }
    }

    private static String prefixed(String text, String prefix) {
        return prefix + text.strip().replace("\n", "\n" + prefix) + "\n";
    }

    @ParameterizedTest
    @MethodSource("results")
    void ignoresPrefixes(String name, String prefix) throws IOException {
        String text = Files.readString(SHIPPED.resolve(name));
        Measurement plain = read(name, text);
        Measurement marked = read(name, prefixed(text, prefix));
        assertThat(marked.format()).isEqualTo(plain.format());
        assertThat(marked.requests().size()).isEqualTo(plain.requests().size());
        assertThat(marked.published()).isEqualTo(plain.published());
        assertThat(marked.operations()).isEqualTo(plain.operations());
        assertThat(marked.about()).isEqualTo(plain.about());
    }

    @ParameterizedTest
    @MethodSource("results")
    void readsIndentedJson(String name, String prefix) throws IOException {
        if (name.endsWith(".json")) {
            String text = Files.readString(SHIPPED.resolve(name));
            Path file = Files.writeString(Files.createDirectories(dir).resolve("plain.json"), text);
            String indented = Json.readAll(file, JsonMode.NON_FINITE).stream()
                    .map(document -> Json.pretty(document.value()))
                    .collect(Collectors.joining());
            assertThat(read(name, prefixed(indented, prefix)).published())
                    .isEqualTo(read(name, indented).published());
        }
    }

    @Test
    void ignoresLinesOfTheOtherStream() throws IOException {
        String text = Files.readString(SHIPPED.resolve("rccl_tests.json"));
        String marked = prefixed(text, "[1,0]<stdout>:");
        assertThat(read("a", "[1,0]<stderr>:found 8 devices\n" + marked).operations())
                .isEqualTo(read("b", text).operations());
    }

    @Test
    void namesTheLineOfTheFileInErrors() throws IOException {
        String[] lines = prefixed(Files.readString(SHIPPED.resolve("rccl_tests.json")), "0: ")
                .split("\n");
        lines[1] = lines[1].replaceFirst("\"busBw\": ?[\\d.]+", "\"busBw\": -5");
        assertThatThrownBy(() -> read("marked.json", String.join("\n", lines))).hasMessageContaining("marked.json:2");
    }
}
