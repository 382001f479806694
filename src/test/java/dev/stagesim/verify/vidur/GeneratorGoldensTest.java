package dev.stagesim.verify.vidur;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replays the cases kept here, and the corpus beside the repository where there is one. */
class GeneratorGoldensTest {
    private static final Path CORPUS = Path.of("../shared/goldens/vidur/generators");
    private static final Path KEPT = Path.of("tests-data/vidur/generators");

    @Test
    void keptConfigurationsAreReproduced() throws IOException {
        for (Path json : cases(KEPT)) {
            assertThat(GeneratorCase.read(json).differences()).as(json.toString()).isEmpty();
        }
        assertThat(cases(KEPT)).hasSize(7);
    }

    @Test
    void aWrongFigureIsFound(@TempDir Path dir) throws IOException {
        for (String name : List.of("poisson_uniform.json", "poisson_uniform.csv")) {
            Files.copy(KEPT.resolve(name), dir.resolve(name));
        }
        Path csv = dir.resolve("poisson_uniform.csv");
        List<String> lines = Files.readAllLines(csv);
        String changed = lines.get(5).replaceFirst("[0-9]$", "x").replace('x', lines.get(5).endsWith("1") ? '2' : '1');
        Files.write(csv, Stream.of(lines.subList(0, 5), List.of(changed), lines.subList(6, 100)).flatMap(List::stream).toList());
        assertThat(GeneratorCase.read(dir.resolve("poisson_uniform.json")).differences())
                .anySatisfy(text -> assertThat(text).startsWith("request 4: expected"))
                .anySatisfy(text -> assertThat(text).isEqualTo("expected 99 requests, got 200"));
    }

    @Test
    void everyConfigurationOfTheCorpusIsReproduced() throws IOException {
        Path corpus = Files.isDirectory(CORPUS) ? CORPUS : Path.of("../").resolve(CORPUS);
        assumeTrue(Files.isDirectory(corpus));
        Map<String, List<String>> failed = new TreeMap<>();
        int count = 0;
        for (Path json : cases(corpus)) {
            List<String> differences = GeneratorCase.read(json).differences();
            if (!differences.isEmpty()) {
                failed.put(json.getFileName().toString(), differences);
            }
            count++;
        }
        assertThat(failed).isEmpty();
        assertThat(count).isEqualTo(23);
    }

    private static List<Path> cases(Path corpus) throws IOException {
        try (Stream<Path> files = Files.list(corpus)) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .filter(file -> !file.getFileName().toString().startsWith("rng_"))
                    .filter(file -> !file.getFileName().toString().startsWith("randint_"))
                    .sorted()
                    .toList();
        }
    }
}
