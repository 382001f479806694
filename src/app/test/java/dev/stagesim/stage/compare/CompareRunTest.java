package dev.stagesim.stage.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.Composition;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.store.RunRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares a measured and a simulated run from the shipped configs. */
class CompareRunTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", ".")).toAbsolutePath();
    private final ConfigEngine configs = ConfigEngine.open(List.of(new SearchRoot("main", HOME.resolve("configs"))));

    @TempDir
    private Path work;

    private RunRef run(String... overrides) {
        Pipeline pipeline =
                new Pipeline(StageRegistry.standard(), HOME, work, PipelineListener.NONE, Clock.systemUTC());
        Composition composed = configs.compose(ComposeRequest.of("compare", List.of(overrides))
                .withSchema(SettingsSchema.of(CompareStageSettings.class)));
        return pipeline.run(
                new CompareStage(), RunRequest.of(composed.config(), List.of(overrides)), RunOptions.DEFAULT);
    }

    @Test
    void reportsAHostBoundRealRun() throws IOException {
        RunRef run = run("model=qwen3", "hardware=a100", "engine=sarathi");
        LocatedJson json = Json.read(run.dir().resolve("comparison.json"));
        assertThat(json.get("diagnosis").items().get(0).get("id").asString()).isEqualTo("host_bound");
        assertThat(json.get("published").items()).hasSize(3);
        assertThat(json.get("alignment").get("compared").asLong()).isEqualTo(8);
        assertThat(run.meta().headlines().get("tpot_p50_real_ms")).isBetween(13.8, 13.9);
        assertThat(json.get("diagnosis")
                        .items()
                        .get(0)
                        .get("evidence")
                        .items()
                        .get(0)
                        .asString())
                .contains("the device works")
                .contains("waits for the host");
        assertThat(run.meta().headlines().get("tpot_p50_error_percent")).isBetween(-15.0, 15.0);
        assertThat(run.meta().headlines().get("e2e_p50_error_percent")).isBetween(-15.0, 15.0);
        assertThat(run.meta().headlines().get("ttft_p50_error_percent")).isBetween(-25.0, 25.0);
        assertThat(Files.readString(run.dir().resolve("report.html"))).contains("Qwen/Qwen3-0.6B on A100-SXM-80GB");
    }

    @Test
    void namesTheMeasuredEngineIfAnotherOneIsSimulated() throws IOException {
        LocatedJson findings = Json.read(
                        run("model=qwen3", "hardware=a100").dir().resolve("comparison.json"))
                .get("diagnosis");
        assertThat(findings.items().stream()
                        .filter(finding -> finding.get("id").asString().equals("other_engine"))
                        .map(finding -> finding.get("advice").asString()))
                .containsExactly("Simulate the measured engine: engine=sarathi.");
        LocatedJson same = Json.read(run("model=qwen3", "hardware=a100", "engine=sarathi")
                        .dir()
                        .resolve("comparison.json"))
                .get("diagnosis");
        assertThat(same.items())
                .noneMatch(finding -> finding.get("id").asString().equals("other_engine"));
    }

    @Test
    void comparesTwoSimulationsOfTheSameRequests() throws IOException {
        String sim = simulated(run());
        String slow = simulated(run("hardware.mem_bw_gbs=100"));
        assertThat(passes(run("real.dir=" + sim, "sim.dir=" + sim))).isTrue();
        RunRef apart = run("real.dir=" + sim, "sim.dir=" + slow);
        assertThat(passes(apart)).isFalse();
        assertThat(apart.meta().headlines().get("tpot_p50_error_percent")).isGreaterThan(20);
        RunRef other = run("real.dir=" + slow, "sim.dir=" + sim);
        assertThat(other.meta().headlines().get("tpot_p50_error_percent")).isLessThan(-20);
    }

    @Test
    void comparesAMeasurementOfAggregates() throws IOException {
        String file = work.resolve("result.json").toString();
        Files.writeString(
                Path.of(file),
                "{\"model_id\": \"meta-llama/Meta-Llama-3-8B\", \"num_prompts\": 20, \"completed\": 20, \"request_rate\": 2.0,"
                        + " \"total_input_tokens\": 2000, \"total_output_tokens\": 400, \"median_ttft_ms\": 50.0}");
        RunRef mean = run("real.file=" + file, "model=llama3_8b", "hardware=h100");
        assertThat(mean.meta().headlines())
                .containsEntry("ttft_p50_real_ms", 50.0)
                .containsKey("ttft_p50_sim_ms");
        assertThat(Files.readString(Path.of(simulated(mean)).resolve("run_meta.json")))
                .contains(
                        "20 requests with the measured mean lengths of 100 and 20 tokens, with Poisson arrivals at 2");
        assertThat(Files.readString(Path.of(simulated(mean)).resolve("conditions.json")))
                .contains("arrivals: Poisson arrivals at 2.00 per second, as the measurement has no list of requests");
        String requests = HOME.resolve("tests-data/real/vllm_detailed.json").toString();
        String sim = simulated(run(
                "model=llama3_8b",
                "hardware=h100",
                "real.file=" + requests,
                "real.any_model=true",
                "compare.exclude_failed=true"));
        RunRef compared = run("real.file=" + file, "sim.dir=" + sim);
        assertThat(compared.meta().headlines()).containsEntry("ttft_p50_real_ms", 50.0);
        assertThatThrownBy(() -> run("real.file=" + file, "sim.dir=" + sim, "model=llama2_7b"))
                .hasMessageContaining("model=llama2_7b: has no effect because sim.dir is given");
    }

    /** Reports of trtllm-bench, LLMPerf, GuideLLM and GenAI-Perf state their load, so they need no other run. */
    @ParameterizedTest
    @ValueSource(strings = {"trtllm", "llmperf_summary", "guidellm", "genai_perf_summary"})
    void comparesTheSummaryOfATool(String name) throws IOException {
        RunRef compared = run(
                "real.file=" + HOME.resolve("tests-data/measured/" + name + ".json"), "model=qwen3", "hardware=h100");
        assertThat(compared.meta().headlines()).containsKey("ttft_p50_sim_ms");
        assertThat(compared.meta().warnings())
                .noneMatch(warning -> warning.toString().contains("not be the same requests"));
    }

    /** A client of the simulated speed with all times x 0.9 differs by +11.1 % in times and by -10 % in throughput. */
    @Test
    void simulatesAMeasuredClosedLoopAsALoop() throws IOException {
        String loop = "\"request_rate\": \"inf\", \"max_concurrency\": 8";
        String first = loopFile("first.json", loop, id -> new double[] {id, 0.1, 1});
        List<RequestRow> rows = RequestRow.read(Path.of(simulated(run("real.file=" + first, "model=llama3_8b")))
                .resolve(Tables.REQUEST_METRICS.name()));
        IntFunction<double[]> faster = id -> {
            RequestRow row = rows.get(id);
            return DoubleStream.of(row.arrival(), row.first() - row.arrival(), row.completion() - row.arrival())
                    .map(ns -> 0.9 * ns / 1e9)
                    .toArray();
        };
        String[][] runs = {
            {"real.file=" + loopFile("loop.json", loop, faster), "model=llama3_8b"},
            {
                "real.file=" + loopFile("unstated.json", "\"request_rate\": \"inf\"", faster),
                "model=llama3_8b",
                "real.concurrency=8"
            }
        };
        for (String[] overrides : runs) {
            RunRef compared = run(overrides);
            Map<String, Double> errors = compared.meta().headlines();
            assertThat(errors.get("tpot_p50_error_percent")).isBetween(10.1, 12.1);
            assertThat(errors.get("ttft_p50_error_percent")).isBetween(10.1, 12.1);
            assertThat(errors.get("e2e_p50_error_percent")).isBetween(10.1, 12.1);
            assertThat(errors.get("throughput_error_percent")).isBetween(-11.0, -9.0);
            assertThat(Files.readString(compared.dir().resolve("conditions.json")))
                    .contains("closed loop, 8 in flight, as measured");
        }
        RunRef open = run("real.file=" + work.resolve("unstated.json"), "model=llama3_8b");
        Path real = work.resolve("tmp/real_bench/"
                + Json.read(open.dir().resolve("comparison.json"))
                        .get("real")
                        .get("run_id")
                        .asString());
        assertThat(Files.readString(real.resolve("run_meta.json")))
                .contains("with 8 in flight, but the file states no concurrency", "set concurrency=8");
        assertThatThrownBy(() -> run("real.file=" + first, "model=llama3_8b", "real.concurrency=9"))
                .hasMessageContaining("real.concurrency: is 9, but the file states a closed loop of 8");
    }

    /** Writes 80 requests as vLLM's client does; {@code times} are the start, the TTFT and the latency in seconds. */
    private String loopFile(String name, String load, IntFunction<double[]> times) throws IOException {
        Function<IntFunction<Object>, List<Object>> all =
                value -> IntStream.range(0, 80).mapToObj(value).toList();
        Path file = work.resolve(name);
        Files.writeString(
                file,
                String.format(
                        "{\"model_id\": \"meta-llama/Meta-Llama-3-8B\", %s, \"completed\": 80, \"input_lens\": %s,"
                                + " \"output_lens\": %s, \"start_times\": %s, \"ttfts\": %s, \"latencies\": %s}",
                        load,
                        all.apply(id -> 300 + 7 * id),
                        all.apply(id -> 40 + 37 * id % 83),
                        all.apply(id -> times.apply(id)[0]),
                        all.apply(id -> times.apply(id)[1]),
                        all.apply(id -> times.apply(id)[2])));
        return file.toString();
    }

    private String simulated(RunRef comparison) throws IOException {
        LocatedJson json = Json.read(comparison.dir().resolve("comparison.json"));
        return work.resolve("tmp/vidur_sim/" + json.get("sim").get("run_id").asString())
                .toString();
    }

    private static boolean passes(RunRef comparison) throws IOException {
        return Json.read(comparison.dir().resolve("comparison.json"))
                .get("verdict")
                .get("holds")
                .asBool();
    }

    @Test
    void simulatesTheRequestsOfAMeasurement() throws IOException {
        String file = HOME.resolve("tests-data/real/vllm_detailed.json").toString();
        RunRef run = run("real.file=" + file, "compare.exclude_failed=true");
        LocatedJson json = Json.read(run.dir().resolve("comparison.json"));
        assertThat(json.get("alignment").get("compared").asLong()).isEqualTo(3);
        String real = "tmp/real_bench/" + json.get("real").get("run_id").asString();
        assertThat(workloadOf(json)).endsWith(real);

        LocatedJson named = Json.read(run("real.dir=" + work.resolve(real), "compare.exclude_failed=true")
                .dir()
                .resolve("comparison.json"));
        assertThat(named.get("sim").get("run_id").asString())
                .isEqualTo(json.get("sim").get("run_id").asString());
    }

    @Test
    void rejectsAnotherWorkloadThanTheMeasuredOne() {
        String file = HOME.resolve("tests-data/real/vllm_detailed.json").toString();
        assertThatThrownBy(() -> run("real.file=" + file, "workload=chat_poisson"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("workload=chat_poisson");
    }

    @Test
    void comparesASimulatedReferenceWithTheConfiguredWorkload() throws IOException {
        LocatedJson first = Json.read(run().dir().resolve("comparison.json"));
        Path reference =
                work.resolve("tmp/vidur_sim/" + first.get("sim").get("run_id").asString());
        RunRef run = run("real.dir=" + reference, "scheduler=vllm");
        LocatedJson json = Json.read(run.dir().resolve("comparison.json"));
        assertThat(json.get("alignment").get("compared").asLong()).isEqualTo(8);
        assertThat(workloadOf(json)).contains("tmp/workload/");
    }

    /** Returns the directory of the workload that the simulated side of a comparison ran. */
    private String workloadOf(LocatedJson comparison) throws IOException {
        Path sim = work.resolve(
                "tmp/vidur_sim/" + comparison.get("sim").get("run_id").asString());
        return Json.read(sim.resolve("run_meta.json")).get("inputs").items().stream()
                .filter(input -> input.get("role").asString().equals("workload"))
                .map(input -> input.get("path").asString())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void keepsTheRunWhenAToleranceFails() {
        RunRef run = run("compare.tolerance.tpot_p50_percent=10", "engine=none");
        assertThat(run.meta().checks()).singleElement().satisfies(check -> assertThat(check.where())
                .isEqualTo("compare.tolerance.tpot_p50_percent"));
        assertThat(run.dir().resolve("report.html")).exists();
    }

    @Test
    void listsRecordingsWhenTheHardwareHasNone() {
        assertThatThrownBy(() -> run("hardware=h100"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("there is no recording of model Qwen/Qwen3-0.6B on hardware H100")
                .hasMessageContaining("qwen3-0.6b-a100-sarathi");
    }
}
