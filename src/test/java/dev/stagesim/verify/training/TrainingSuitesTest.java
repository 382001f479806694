package dev.stagesim.verify.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.training.PeerArguments;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class TrainingSuitesTest {
    private static final Path KEPT = Path.of("tests-data", "training");

    static List<Suite> exact() {
        return List.of(
                new CalculonSuite(),
                new LlmAnalysisSuite(),
                new MegatronMemorySuite(),
                new DeepSpeedSuite(),
                new SchedulesSuite());
    }

    private static List<CaseResult> run(Suite suite, Path corpus) throws IOException {
        List<CaseResult> results = new ArrayList<>();
        suite.run(corpus, results::add);
        return results;
    }

    @ParameterizedTest
    @MethodSource("exact")
    void keptCasesAreReproduced(Suite suite) throws IOException {
        Path kept = KEPT.resolve(suite.name().substring("training-".length()));
        assertThat(run(suite, kept)).isNotEmpty().allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @ParameterizedTest
    @MethodSource("exact")
    void theCorpusIsReproduced(Suite suite) throws IOException {
        assertThat(run(suite, Corpora.beside(suite.name()))).isNotEmpty().allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    /** Another model than ours: nine cases of ten within 5 %. */
    @Test
    void memoryIsNearAnotherModels() throws IOException {
        List<CaseResult> results = run(new SimuMaxSuite(), Corpora.beside("training-simumax"));
        long near = results.stream()
                .filter(result -> result.isPassed() && result.deviation().isEmpty())
                .count();
        assertThat(near * 10).isGreaterThanOrEqualTo(results.size() * 9L);
        assertThat(results).allMatch(CaseResult::isPassed);
    }

    /** Experts that tensor parallelism leaves whole, with one replica of the dense weights; and memory in terabytes. */
    @Test
    void statesOfExpertsAreDividedOverTheirReplicas() throws IOException {
        assertThat(run(new SimuMaxSuite(), KEPT.resolve("simumax")))
                .hasSize(2)
                .allMatch(result -> result.isPassed() && result.deviation().isEmpty());
    }

    @Test
    void aWrongFigureAndAnotherRefusalAreFound(@TempDir Path dir) throws IOException {
        Path cases = Files.createDirectories(dir.resolve("cases"));
        for (String id : List.of("run-001", "run-080")) {
            copy(KEPT.resolve("calculon/cases").resolve(id), cases.resolve(id));
        }
        edit(cases.resolve("run-001/expected.json"), "infeasible", "rejected");
        edit(cases.resolve("run-080/expected.json"), "\"useful_flops\": ", "\"useful_flops\": 1");
        List<CaseResult> results = run(new CalculonSuite(), dir);
        assertThat(results).noneMatch(CaseResult::isPassed);
        assertThat(results.get(0).why()).isEqualTo("/kind: expected rejected, got infeasible");
        assertThat(results.get(1).differences()).singleElement().satisfies(difference -> assertThat(difference.where())
                .isEqualTo("/stats/useful_flops"));
    }

    @ParameterizedTest
    @CsvSource({"bandwidth, 0", "efficiency, 1.5", "size, -1", "processor_usage, 1.0"})
    void aNetworkOutOfRangeIsRejected(String key, String value, @TempDir Path dir) throws IOException {
        assertThat(withSystem(dir, "\"" + key + "\": [\\d.e-]+", "\"" + key + "\": " + value))
                .isEqualTo("/kind: expected , got rejected");
    }

    @Test
    void anEngineWhoseLimitsDoNotFallIsRejected(@TempDir Path dir) throws IOException {
        String from = "\"gflops_efficiency\": \\[";
        assertThat(withSystem(dir, from, "\"gflops_efficiency\": [[1, 0.5], [8, 0.5],"))
                .isEqualTo("/kind: expected , got rejected");
        assertThat(withSystem(
                        dir.resolve("after-0"),
                        from,
                        "\"gflops_efficiency\": [[1e9, 1], [0, 1], [5, 1], [4, 1], [3, 1], [1e-9, 1]], \"x\": ["))
                .doesNotContain("got rejected");
    }

    private static String withSystem(Path dir, String from, String to) throws IOException {
        Path run = Files.createDirectories(dir.resolve("cases")).resolve("run-080");
        copy(KEPT.resolve("calculon/cases/run-080"), run);
        String system = Files.readString(run.resolve("system.json"));
        assertThat(system).containsPattern(from);
        Files.writeString(run.resolve("system.json"), system.replaceAll(from, to));
        return run(new CalculonSuite(), dir).get(0).why();
    }

    @Test
    void whatOurReaderRefusesIsRejected(@TempDir Path dir) throws IOException {
        assertThat(withSystem(dir, "\"size\": \\d+", "\"size\": true")).isEqualTo("/kind: expected , got rejected");
    }

    /** A file that is no JSON says nothing of what the tool asserts. */
    @Test
    void aDamagedInputFailsThoughARefusalIsExpected(@TempDir Path dir) throws IOException {
        Path run = Files.createDirectories(dir.resolve("cases")).resolve("rejected-inference-curve");
        copy(KEPT.resolve("calculon/cases/rejected-inference-curve"), run);
        Files.writeString(run.resolve("system.json"), "{");
        assertThat(run(new CalculonSuite(), dir)).singleElement().satisfies(result -> {
            assertThat(result.isPassed()).isFalse();
            assertThat(result.why()).contains("system.json");
        });
    }

    @Test
    void aDamagedCaseFailsAndTheRestAreReplayed(@TempDir Path dir) throws IOException {
        Path cases = Files.createDirectories(dir.resolve("cases"));
        for (String id : List.of("run-001", "run-080")) {
            copy(KEPT.resolve("calculon/cases").resolve(id), cases.resolve(id));
        }
        Files.writeString(cases.resolve("run-001/expected.json"), "{");
        assertThat(run(new CalculonSuite(), dir))
                .extracting(CaseResult::isPassed)
                .containsExactly(false, true);
    }

    /** A negative tier would be the last one in the tool's list. */
    @Test
    void aTierThatIsNotInTheListIsRejected(@TempDir Path dir) throws IOException {
        Path run = Files.createDirectories(dir.resolve("cases")).resolve("run-080");
        copy(KEPT.resolve("calculon/cases/run-080"), run);
        String execution = Files.readString(run.resolve("execution.json"));
        Files.writeString(
                run.resolve("execution.json"),
                execution.replaceFirst("\"tensor_par_net\": \\d+", "\"tensor_par_net\": -1"));
        assertThat(run(new CalculonSuite(), dir)).singleElement().satisfies(result -> assertThat(result.why())
                .isEqualTo("/kind: expected , got rejected"));
    }

    @Test
    void aWorldThatCannotHoldAllExpertsIsRefused(@TempDir Path dir) throws IOException {
        Path file = dir.resolve("case.json");
        Path kept = KEPT.resolve("megatron-memory/cases/case-009/case.json");
        Files.writeString(
                file,
                Files.readString(kept)
                        .replaceFirst("\"world_size\": \\d+", "\"world_size\": 1")
                        .replaceFirst("\"use_distributed_optimizer\": \\w+", "\"use_distributed_optimizer\": true")
                        .replaceFirst("\"expert_model_parallel_size\": \\d+", "\"expert_model_parallel_size\": 8"));
        JsonAt arguments = Json.read(file).get("arguments");
        assertThatThrownBy(() -> PeerArguments.megatron(arguments)).hasMessageContaining("at least the");
    }

    private static void edit(Path file, String from, String to) throws IOException {
        String text = Files.readString(file);
        assertThat(text).contains(from);
        Files.writeString(file, text.replace(from, to));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }
}
