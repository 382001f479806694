package dev.stagesim.verify.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FabricSuiteTest {
    private static final Path KEPT = Path.of("tests-data", "fabric");

    private static List<CaseResult> run(Path corpus) throws IOException {
        List<CaseResult> results = new ArrayList<>();
        FabricSuite.SUITE.run(corpus, results::add);
        return results;
    }

    @Test
    void reproducesCommittedRuns() throws IOException {
        assertThat(run(KEPT)).hasSize(6).allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"fabric", "fabric-demo"})
    void reproducesTheCorpus(String name) throws IOException {
        Path corpus = Corpora.beside(name);
        assertThat(run(corpus)).isNotEmpty().allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @Test
    void reportsWrongValuesExtraFilesAndOtherErrors(@TempDir Path dir) throws IOException {
        for (String id : List.of("inference_queues", "missing_keys")) {
            copy(KEPT.resolve(id), dir.resolve(id));
        }
        Path out = dir.resolve("inference_queues/expected/out");
        Path record = out.resolve("last_run.json");
        Files.writeString(record, Files.readString(record).replace("\"retries\": 0", "\"retries\": 1"));
        Files.delete(out.resolve("Rack ü 1_tale_inference_parity_77.json"));
        Path recorded = dir.resolve("missing_keys/case.json");
        Files.writeString(recorded, Files.readString(recorded).replace("model_family", "other_key"));
        List<CaseResult> results = run(dir);
        assertThat(results).noneMatch(CaseResult::isPassed);
        assertThat(results.get(0).why()).contains("retries: expected 1, got 0").contains("no such file, got a file");
        assertThat(results.get(1).why()).contains("other_key");
    }

    /** A section of a card is null. The reference fails with a type error; the product names the section. */
    @ParameterizedTest
    @ValueSource(strings = {"latency", "throughput", "noise", "hbm", "utilization", "power"})
    void namesASectionThatIsNull(String section, @TempDir Path dir) throws IOException {
        copy(KEPT.resolve("missing_keys"), dir.resolve("nothing"));
        Path card = dir.resolve("nothing/in/cards/example.yaml");
        String text = Files.readString(card);
        assertThat(text).containsPattern("(?m)^" + section + ":");
        Files.writeString(card, text.replaceAll("(?m)^" + section + ": .*$", section + ": null"));
        Path recorded = dir.resolve("nothing/case.json");
        Files.writeString(
                recorded,
                Files.readString(recorded)
                        .replace("poor_train", "tale_inference")
                        .replace(
                                "KeyError: 'workload missing key model_family'",
                                "AttributeError: 'NoneType' object has no attribute 'get'"));
        assertThat(run(dir)).hasSize(1).allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }
}
