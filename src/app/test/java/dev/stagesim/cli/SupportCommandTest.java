package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.api.Run;
import dev.stagesim.api.Stagesim;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code stage support} quotes the published errors, and names the source of each operator's time. */
final class SupportCommandTest {
    @TempDir
    private Path work;

    private static CliTester support(String... words) {
        return CliTester.run(
                Stream.concat(Stream.of("support"), Stream.of(words)).toArray(String[]::new));
    }

    private Run run(String stage, String... words) {
        return Stagesim.open(CliTester.home().dir(), work).run(stage, words);
    }

    @Test
    void countsTheMeasurementsOfEachDeviceAndEngine() {
        CliTester command = support();
        assertThat(command.exit()).isZero();
        assertThat(command.lines()).anyMatch(line -> line.matches("device .* sglang +trtllm .* vllm_v1"));
        assertThat(command.lines()).anyMatch(line -> line.matches("H100-SXM-80GB .*[1-9]\\d*,?\\d*"));
    }

    /** Each row equals a row of the page. */
    @Test
    void quotesThePublishedErrors() throws IOException {
        LocatedJson answer = Json.parse(
                support("model=llama3_70b", "hardware=h100", "engine=vllm_v1", "tp=4", "--json")
                        .out(),
                "support");
        LocatedJson tokens = answer.get("errors").items().stream()
                .filter(row -> row.get("metric").asString().equals("token time"))
                .findFirst()
                .orElseThrow();
        String page = Files.readString(CliTester.home().dir().resolve("specs/fidelity.md"));
        assertThat(page)
                .contains(String.format(
                        "| vllm_v1 | H100-SXM-80GB | dense 15 to 100 B | token time | %.0f | %.1f |",
                        tokens.get("rows").asDouble(),
                        100 * tokens.get("median").asDouble()));
    }

    /** The kind of a deployment describes a copy of the model; further replicas do not move it to several nodes. */
    @Test
    void countsTheDevicesOfACopy() {
        assertThat(support("model=llama3_8b", "hardware=h100", "replicas=16").out())
                .contains("Errors against published measurements of dense up to 15 B under vllm_v1 on H100-SXM-80GB:");
    }

    @ParameterizedTest
    @CsvSource({
        "llama3_8b, gaudi3, 1, 1, not covered",
        "mixtral_8x22b, mi250x, 8, 1, no kernel table",
        "llama3_70b, h100, 4, 2, with pipeline stages"
    })
    void saysWhereThereIsNoEvidence(String model, String hardware, int tp, int pp, String text) {
        CliTester command = support("model=" + model, "hardware=" + hardware, "tp=" + tp, "pp=" + pp);
        assertThat(command.exit()).as(command.err()).isZero();
        assertThat(command.out())
                .contains(text)
                .contains("No evidence: no published measurements of ")
                .contains("Errors of the nearest groups:");
    }

    /** The nearest groups have the engine in any version, the kind of layers, and the architecture if it was measured. */
    @ParameterizedTest
    @CsvSource({
        "hardware=gb300, '(vllm|sglang|trtllm)\\S* +(B200|GB200|B300)-.*'",
        "hardware=gb300 model=llama3_8b, 'vllm_v\\d +(B200|B300)-\\S+ +dense .*'",
        "hardware=mi325x engine=vllm_v1 model=deepseek_v3 tp=8, 'vllm_v\\d +\\S+ +MoE .*'"
    })
    void listsFewNearGroups(String words, String row) {
        String text = support(words.split(" ")).out();
        List<String> rows = text.substring(text.indexOf("Errors of the nearest groups:"))
                .lines()
                .skip(2)
                .map(String::strip)
                .toList();
        assertThat(rows).hasSizeBetween(1, 10).allMatch(line -> line.matches(row));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tp=16", "dp=16 ep=16", "tp=2 dp=8"})
    void countsTheDevicesOfAllEngines(String parallelism) {
        String[] words = ("model=deepseek_v3 hardware=h200 engine=sglang " + parallelism).split(" ");
        assertThat(support(words).out()).contains("16 × H200", "MoE above 100 B on several nodes");
    }

    @Test
    void namesOperatorsOfTheKindOfModel() {
        String dense = support("model=llama3_8b", "hardware=h100").out();
        String mixture = support("model=qwen3_30b_a3b", "hardware=h100", "tp=2").out();
        String hybrid = support("model=nvidia_nvidia_nemotron_nano_9b_v2", "hardware=h100")
                .out();
        assertThat(dense).doesNotContain("experts:").doesNotContain("collectives:");
        assertThat(mixture).contains("experts:").contains("collectives:");
        assertThat(hybrid).contains("recurrent layers:");
    }

    @Test
    void listsTheSourcesOfARun() {
        Run computed = run("vidur_sim", "model=llama3_8b", "hardware=h100", "engine=vllm_v1", "requests=1");
        assertThat(support("--run", computed.dir().toString()).out())
                .contains("roofline with the kernel efficiencies")
                .contains("engine card of vLLM V1")
                .contains("dense up to 15 B under vllm_v1 on H100-SXM-80GB");
        Run bundled = run(
                "vidur_sim",
                "model=llama3_8b",
                "hardware=h100",
                "engine=none",
                "predictor=interpolation",
                "requests=1");
        assertThat(support("--run", bundled.dir().toString()).out())
                .contains("interpolation in the bundle")
                .contains("tmp/vidur_profile/vidur_profile-")
                .contains(", attention.csv")
                .contains("not included");
    }

    @Test
    void listsTheSourcesOfClustersAndPlans() {
        Run cluster = run("cluster_sim", "model=llama3_8b", "hardware=h100", "cluster=pd_2_2", "requests=20", "rate=5");
        assertThat(support("--run", cluster.dir().toString()).out())
                .contains("pool decode: meta-llama/Meta-Llama-3-8B", "pool prefill: ", "engine card of vLLM V1");
        Run plan = run(
                "plan",
                "model=llama3_8b",
                "hardware=h100",
                "rate=2",
                "requests=100",
                "seeds=1",
                "search.engines=[sglang]",
                "search.tp=[1]",
                "search.finalists=1");
        assertThat(support("--run", plan.dir().toString()).out())
                .contains("SGLang with tp 1, ", "engine card of SGLang", "under sglang on H100-SXM-80GB");
    }

    @ParameterizedTest
    @ValueSource(strings = {"requests=5", "--run=no_such_run", "model=lama3_8b"})
    void rejects(String word) {
        assertThat(support(word).exit()).isEqualTo(2);
    }
}
