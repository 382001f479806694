package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.model.Feature;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Drafting;
import dev.stagesim.serving.EngineChoice.ExpertLayout;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.PoolSimulator;
import dev.stagesim.serving.PoolSimulator.Pool;
import dev.stagesim.serving.PoolSimulator.Router;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.settings.Speculation;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Expert parallelism, data-parallel attention and prefill intervals in plans. */
final class ExpertLayoutTest {
    private static final ModelCard MIXTURE = CardFiles.model("qwen3_30b_a3b");
    private static final HardwareCard H100 = CardFiles.hardware("h100");

    private static Shape shape(String engine, int tp, int pp, ExpertLayout layout) {
        return new Shape(
                engine,
                CardFiles.engine(engine),
                tp,
                pp,
                Precision.BF16,
                Precision.BF16,
                Precision.BF16,
                layout,
                Drafting.NONE);
    }

    private static PlanSettings settings(String model, String... engines) {
        PlanSettings.Search any = Plans.search(List.of(), List.of(Precision.BF16), List.of(128), List.of(2048));
        return Plans.settings(model, "h100", 10, "ttft_p99_ms<500", any, engines);
    }

    @Test
    void enumeratesLayoutsOfMixturesOnly() {
        Set<String> layouts = new DeploymentSpace(settings("qwen3_30b_a3b", "vllm_v1"))
                .shapes().stream().map(Shape::words).collect(Collectors.toSet());
        assertThat(layouts)
                .hasSize(19)
                .contains(
                        "tp 8, BF16 weights, BF16 KV cache",
                        "tp 8, ep 8, BF16 weights, BF16 KV cache",
                        "tp 1, dp 16, ep 16, BF16 weights, BF16 KV cache",
                        "tp 2, dp 4, ep 8, BF16 weights, BF16 KV cache");
        assertThat(new DeploymentSpace(settings("llama3_8b", "vllm_v1")).shapes())
                .hasSize(5)
                .allSatisfy(shape -> assertThat(shape.layout()).isEqualTo(ExpertLayout.NONE));
    }

    @Test
    void triesNoDraftsByDefault() {
        Set<Integer> drafts = new DeploymentSpace(settings("deepseek_v3", "vllm_v1"))
                .shapes().stream().map(shape -> shape.drafting().tokens()).collect(Collectors.toSet());
        assertThat(drafts).containsExactly(0);
        Shape sglang = new Shape(
                "sglang",
                CardFiles.engine("sglang"),
                8,
                1,
                Precision.FP8,
                Precision.FP8,
                Precision.BF16,
                ExpertLayout.NONE,
                new Drafting(Speculation.Method.MTP, 1, List.of()));
        assertThat(sglang.words()).isEqualTo("tp 8, MTP with 1 draft, FP8 weights, BF16 KV cache");
        assertThat(sglang.whyInfeasible(CardFiles.model("deepseek_v3"), H100))
                .contains("speculative decoding of SGLang is not simulated");
    }

    /** A closed form without drafts would be wrong by their whole gain. */
    @Test
    void predictsTheGainOfDrafts() throws IOException {
        RequestSamples requests =
                Plans.read(Jimfs.newFileSystem(Configuration.unix()).getPath("/workload"));
        SimulationCache simulations = new SimulationCache(requests, Slo.parse("ttft_p99_ms<1e9"));
        Shape shape = new Shape(
                "vllm_v1",
                CardFiles.engine("vllm_v1"),
                4,
                1,
                Precision.BF16,
                Precision.BF16,
                Precision.BF16,
                ExpertLayout.NONE,
                new Drafting(Speculation.Method.EAGLE3, 3, List.of()));
        EngineChoice deployment = new EngineChoice(shape, 128, 2048);
        ReplicaModel replica = deployment.replica(MIXTURE, H100, Optional.empty(), requests.longest());
        double predicted = new SteadyStateModel(replica, requests, deployment)
                .at(8)
                .orElseThrow()
                .tpotMs();
        double simulated = simulations.of(replica, deployment, 1, 8).metrics().get("tpot_p50_ms");
        double plain = simulate(simulations, requests, shape("vllm_v1", 4, 1, ExpertLayout.NONE))
                .metrics()
                .get("tpot_p50_ms");
        assertThat(predicted).isCloseTo(simulated, withinPercentage(15));
        assertThat(simulated).isLessThan(0.85 * plain);
    }

    @Test
    void explainsWhatCannotBeSimulated() {
        Map<Shape, String> reasons = Map.of(
                shape("sglang", 1, 1, new ExpertLayout(2, true, 4)),
                "SGLang has no prefill interval",
                shape("vllm_v0", 1, 1, new ExpertLayout(2, true, 1)),
                "expert parallelism, data-parallel attention and prefill intervals of vLLM are not simulated",
                shape("trtllm", 2, 1, new ExpertLayout(2, true, 1)),
                "TensorRT-LLM runs attention either tensor-parallel or data-parallel",
                shape("trtllm", 2, 1, new ExpertLayout(1, false, 4)),
                "TensorRT-LLM has no prefill interval",
                shape("vllm_v1", 2, 2, new ExpertLayout(2, true, 1)),
                "pipeline stages with shared experts are not simulated");
        reasons.forEach((shape, reason) ->
                assertThat(shape.whyInfeasible(MIXTURE, H100)).contains(reason));
        assertThat(shape("vllm_v1", 1, 1, new ExpertLayout(2, true, 1))
                        .whyInfeasible(CardFiles.model("llama3_8b"), H100))
                .contains("the model has no experts to share");
        assertThat(shape("vllm_v1", 2, 1, new ExpertLayout(2, true, 4)).whyInfeasible(MIXTURE, H100))
                .isEmpty();
        assertThat(shape("sglang", 2, 1, new ExpertLayout(2, true, 1)).whyInfeasible(MIXTURE, H100))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"vllm_v1", "sglang"})
    void changesMetricsWithTheLayout(String engine) throws IOException {
        RequestSamples requests =
                Plans.read(Jimfs.newFileSystem(Configuration.unix()).getPath("/workload"));
        SimulationCache simulations = new SimulationCache(requests, Slo.parse("ttft_p99_ms<1e9"));
        DeploymentResult one = simulate(simulations, requests, shape(engine, 4, 1, ExpertLayout.NONE));
        DeploymentResult same = simulate(simulations, requests, shape(engine, 4, 1, new ExpertLayout(1, false, 1)));
        DeploymentResult spread = simulate(simulations, requests, shape(engine, 1, 1, new ExpertLayout(4, true, 1)));
        assertThat(same).isEqualTo(one);
        assertThat(spread.keepsUp()).isTrue();
        assertThat(spread.metrics()).isNotEqualTo(one.metrics());
    }

    /** The engines of a copy are instances of a pool in lockstep, which share the experts and the memory in the same way. */
    @ParameterizedTest
    @CsvSource({"vllm_v1, 1, 4", "vllm_v1, 2, 2", "sglang, 1, 4", "vllm_v1, 4, 1"})
    void matchesAPoolOfTheSameEngines(String engine, int tp, int dp) throws IOException {
        RequestSamples requests =
                Plans.read(Jimfs.newFileSystem(Configuration.unix()).getPath("/workload"));
        SimulationCache simulations = new SimulationCache(requests, Slo.parse("ttft_p99_ms<1e9"));
        EngineChoice deployment = new EngineChoice(shape(engine, tp, 1, new ExpertLayout(dp, true, 1)), 128, 2048);
        ReplicaModel replica = deployment.replica(MIXTURE, H100, Optional.empty(), requests.longest());
        Map<String, Double> copy = simulations.of(replica, deployment, 1, 10).metrics();
        Map<String, Double> pool = simulations
                .of(
                        Feature.all(PoolSimulator.class).get(0),
                        new Pool(1, replica, deployment),
                        Optional.empty(),
                        Router.ROUND_ROBIN,
                        10)
                .metrics();
        assertThat(pool.get("tpot_p50_ms")).isCloseTo(copy.get("tpot_p50_ms"), withinPercentage(3));
        assertThat(pool.get("ttft_p50_ms")).isCloseTo(copy.get("ttft_p50_ms"), withinPercentage(5));
    }

    private static DeploymentResult simulate(SimulationCache simulations, RequestSamples requests, Shape shape) {
        EngineChoice deployment = new EngineChoice(shape, 128, 2048);
        assertThat(shape.devices()).isEqualTo(4);
        return simulations.of(
                deployment.replica(MIXTURE, H100, Optional.empty(), requests.longest()), deployment, 2, 10);
    }

    @Test
    void writesTheFlagsOfEachEngine() {
        PlanSettings settings = settings("qwen3_30b_a3b", "vllm_v1", "trtllm");
        ExpertLayout layout = new ExpertLayout(4, true, 1);
        assertThat(new EngineFiles(
                                settings,
                                new EngineChoice(shape("vllm_v1", 2, 1, new ExpertLayout(4, true, 8)), 128, 2048),
                                1,
                                1500)
                        .all()
                        .get("command.sh"))
                .contains(
                        "--tensor-parallel-size 2",
                        "--data-parallel-size 4",
                        "--enable-expert-parallel",
                        "--prefill-schedule-interval 8");
        Map<String, String> trtllm =
                new EngineFiles(settings, new EngineChoice(shape("trtllm", 1, 1, layout), 128, 2048), 1, 1500).all();
        assertThat(trtllm.get("command.sh")).contains("--tp_size 4", "--ep_size 4");
        assertThat(trtllm.get("extra_llm_api_options.yaml")).contains("enable_attention_dp: true");
        EngineChoice sglang = new EngineChoice(shape("sglang", 2, 1, layout), 128, 2048);
        assertThat(new EngineFiles(settings, sglang, 1, 1500).all().get("command.sh"))
                .contains(
                        "--tp-size 8",
                        "--attn-dp-size 4",
                        "--ep-size 8",
                        "--moe-a2a-backend deepep",
                        "--max-running-requests 512",
                        "--chunked-prefill-size 8192")
                .doesNotContain("--enable-dp-attention");
    }
}
