package dev.stagesim.verify.vidur;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.verify.Corpora;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replays the committed cases, and the whole corpus if it is present. */
class GeneratorGoldensTest {
    private static final Path KEPT = Path.of("tests-data/vidur");

    @Test
    void reproducesTheCasesInTheRepository() throws IOException {
        List<GeneratorCases.Result> results = run(KEPT);
        assertThat(results).hasSize(9).allMatch(GeneratorCases.Result::passed);
    }

    @Test
    void reproducesTheWholeCorpus() throws IOException {
        List<GeneratorCases.Result> results = run(Corpora.beside("vidur"));
        assertThat(results).isNotEmpty();
        assertThat(results.stream().filter(result -> !result.passed())).isEmpty();
        assertThat(results.stream()
                        .filter(result -> !result.deviation().isEmpty())
                        .map(GeneratorCases.Result::id))
                .containsExactly("static_zipf_scramble");
    }

    @Test
    void reportsWrongValuesAndMissingRequests(@TempDir Path dir) throws IOException {
        for (String name : List.of("poisson_uniform.json", "poisson_uniform.csv")) {
            Files.copy(KEPT.resolve("generators").resolve(name), dir.resolve(name));
        }
        Path csv = dir.resolve("poisson_uniform.csv");
        List<String> lines = Files.readAllLines(csv);
        String changed = lines.get(5) + "0";
        Files.write(
                csv,
                Stream.of(lines.subList(0, 5), List.of(changed), lines.subList(6, 100))
                        .flatMap(List::stream)
                        .toList());
        assertThat(GeneratorCases.replay(dir.resolve("poisson_uniform.json")).why())
                .anySatisfy(text -> assertThat(text).startsWith("request 4: expected"))
                .anySatisfy(text -> assertThat(text).isEqualTo("expected 99 requests, got 200"));
    }

    @Test
    void reportsAWrongDraw(@TempDir Path dir) throws IOException {
        Path vectors = Files.writeString(
                dir.resolve("rng_some.json"), "{\"python_seed42_random\":[0.6394267984578837,0.5],\"other\":[1]}");
        assertThat(GeneratorCases.replay(vectors).why()).hasSize(2).anyMatch(text -> text.contains("[1]"));
    }

    private static List<GeneratorCases.Result> run(Path corpus) throws IOException {
        List<GeneratorCases.Result> results = new ArrayList<>();
        GeneratorCases.run(corpus, results::add);
        return results;
    }
}
