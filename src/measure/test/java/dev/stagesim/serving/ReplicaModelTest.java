package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.measure.Defaults;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.LayerGroup;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReplicaModelTest {
    private static final int SEQUENCE = 3000;
    private static final HardwareCard DEVICE = CardFiles.hardware("h100");
    private static final StepCard ENGINE = Defaults.noEngine();

    private static final List<SchedulerSettings> SCHEDULERS = List.of(
            KeyRecord.defaults(SchedulerSettings.VllmV1.class),
            KeyRecord.of(
                    SchedulerSettings.VllmV1.class,
                    Map.of("maxNumSeqs", Optional.of(32), "maxNumBatchedTokens", Optional.of(700))),
            KeyRecord.defaults(SchedulerSettings.Sglang.class),
            KeyRecord.defaults(SchedulerSpec.Sarathi.class),
            KeyRecord.defaults(SchedulerSpec.Vllm.class));

    private static ReplicaModel vllm(String key, Object value) {
        return replica("llama3_8b", KeyRecord.of(SchedulerSettings.VllmV1.class, Map.of(key, value)), 1);
    }

    private static ReplicaModel drafting(Speculation.Method method, int drafts, Optional<ModelCard> draft) {
        SchedulerSettings.VllmV1 engine = KeyRecord.defaults(SchedulerSettings.VllmV1.class);
        return vllm(
                "speculative",
                KeyRecord.with(
                        SchedulerSettings.VllmV1.Speculative.class,
                        engine.speculative(),
                        Map.of("method", method, "numTokens", drafts, "draftModel", draft)));
    }

    @Test
    void warnsOfAContextAboveThatOfTheModel() {
        assertThat(context(8192)).isEmpty();
        assertThat(context(9000))
                .singleElement()
                .asString()
                .contains("engines refuse max_model_len=9000", "ends at 8,192 tokens", "set model.max_position=9000");
    }

    private static List<String> context(int tokens) {
        return KeyRecord.with(
                        ReplicaModel.class,
                        vllm("maxNumSeqs", Optional.of(8)),
                        Map.of("maxTokens", Optional.of(tokens)))
                .warnings();
    }

    @ParameterizedTest
    @CsvSource({
        "gaudi3, NVIDIA, hardware, no kernel model",
        "mi300x, NVIDIA, engine, NVIDIA only",
        "h100, AMD, engine, AMD only"
    })
    void rejectsDevicesWithoutKernelOrEngineValues(String device, String vendor, String key, String why) {
        StepCard engine = KeyRecord.with(StepCard.class, ENGINE, Map.of("vendor", Optional.of(vendor)));
        ReplicaModel replica = ReplicaModel.computed(
                CardFiles.model("llama3_8b").stored(Precision.NVFP4, Precision.NVFP4, Precision.NVFP4),
                CardFiles.hardware(device),
                engine,
                KeyRecord.defaults(SchedulerSettings.VllmV1.class),
                EngineSchedulers.cluster(1, 1, Optional.empty()),
                SEQUENCE);
        assertThat(replica.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.where()).isEqualTo(key);
            assertThat(problem.what()).contains(why);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "2, dataParallelSize, 4, 'scheduler.data_parallel_size: TensorRT-LLM runs attention either'",
        "1, dataParallelSize, 8, ''",
        "8, dataParallelSize, 1, ''",
        "8, prefillScheduleInterval, 4, 'scheduler.prefill_schedule_interval: TensorRT-LLM has no'"
    })
    void rejectsOptionsThatTensorRtLacks(int tensor, String key, int value, String problem) {
        SchedulerSettings engine = KeyRecord.with(
                SchedulerSettings.VllmV1.class,
                (SchedulerSettings.VllmV1) EngineSchedulers.of("trtllm"),
                Map.of(key, value));
        assertProblem(replica("deepseek_v3", engine, tensor), problem);
    }

    @ParameterizedTest
    @CsvSource({
        "h200, NVFP4, 'model.kv_cache: is nvfp4, and SGLang has no KV cache in this format on H200-SXM-141GB (Hopper sm90)'",
        "h200, MXFP4, 'model.kv_cache: is mxfp4, and SGLang'",
        "h200, FP8, ''",
        "b200, NVFP4, ''"
    })
    void rejectsCachesThatTheEngineLacks(String device, Precision cache, String problem) {
        ModelCard model = CardFiles.model("deepseek_v3");
        assertProblem(
                ReplicaModel.computed(
                        model.stored(model.formats().weights(), model.expertPrecision(), cache),
                        CardFiles.hardware(device),
                        ENGINE,
                        KeyRecord.defaults(SchedulerSettings.Sglang.class),
                        EngineSchedulers.cluster(8, 1, Optional.empty()),
                        SEQUENCE),
                problem);
    }

    /**
     * Engines with several tensor-parallel devices that send tokens to experts have whole shared experts on each device; others
     * divide them. The routed experts of a device take the same bytes in both cases.
     */
    @ParameterizedTest
    @CsvSource({"8, 2, 0.875", "4, 4, 0.75", "1, 16, 0"})
    void storesWholeSharedExpertsIfTokensAreDivided(int tp, int dp, double added) {
        ModelCard model = CardFiles.model("deepseek_v3");
        double shared = (double) ModelSize.matrices(model, 2048) * 58 * model.bytes(LayerGroup.SHARED_EXPERTS);
        assertThat(weights(tp, dp, true) - weights(tp, dp, false)).isCloseTo(Math.round(added * shared), within(2L));
    }

    private static long weights(int tp, int dp, boolean isExpertParallel) {
        SchedulerSettings scheduler = KeyRecord.of(
                SchedulerSettings.VllmV1.class,
                Map.of("dataParallelSize", dp, "enableExpertParallel", isExpertParallel));
        ReplicaModel replica = KeyRecord.with(
                ReplicaModel.class,
                replica("deepseek_v3", scheduler, tp),
                Map.of("hardware", CardFiles.hardware("h200")));
        return new MemoryFit(replica).parts(SEQUENCE).get(MemoryFit.Part.WEIGHTS);
    }

    /** Devices without FP8 units convert the cache in software, under every scheduler. */
    @Test
    void warnsOfACacheThatIsConverted() {
        for (SchedulerSettings scheduler : SCHEDULERS) {
            for (String device : List.of("a100", "h100")) {
                ReplicaModel plain = replica("llama3_8b", scheduler, 1);
                ReplicaModel cached = KeyRecord.with(
                        ReplicaModel.class,
                        plain,
                        Map.of(
                                "hardware",
                                CardFiles.hardware(device),
                                "model",
                                plain.model().stored(Precision.BF16, Precision.BF16, Precision.FP8)));
                assertThat(cached.warnings().stream().filter(warning -> warning.contains("has no FP8 units")))
                        .hasSize(device.equals("a100") ? 1 : 0);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "8, 8, 'is 64 devices, SGLang''s --tp 64 --dp 8 ', its --tp 8 --dp 8 is tp=1 dp=8",
        "8, 2, 'is 16 devices, SGLang''s --tp 16 --dp 2 ', its --tp 8 --dp 2 is tp=4 dp=2",
        "1, 8, 'is 8 devices, SGLang''s --tp 8 --dp 8 ', ''",
        "8, 1, '', ''"
    })
    void explainsDataParallelismThatDividesTheDevicesInSglang(int tensor, int data, String devices, String advice) {
        SchedulerSettings engine = KeyRecord.of(SchedulerSettings.Sglang.class, Map.of("dataParallelSize", data));
        ReplicaModel replica = replica("deepseek_v3", engine, tensor);
        assertThat(replica.warnings()).noneMatch(warning -> warning.contains("--enable-dp-attention"));
        assertThat(replica.notes())
                .filteredOn(note -> note.contains("--enable-dp-attention"))
                .hasSize(devices.isEmpty() ? 0 : 1)
                .allSatisfy(note -> assertThat(note).contains(devices, advice));
    }

    @Test
    void explainsTheDevicesOfDataParallelExperts() {
        SchedulerSettings sglang = KeyRecord.of(SchedulerSettings.Sglang.class, Map.of("dataParallelSize", 8));
        assertThat(replica("deepseek_v3", sglang, 8).problems())
                .singleElement()
                .extracting(Problem::render)
                .asString()
                .contains("is 8, which with data parallelism divides each expert over 64 devices")
                .contains("use ep=64", "--dp 8 is tp=1 dp=8");
        SchedulerSettings vllm = KeyRecord.of(SchedulerSettings.VllmV1.class, Map.of("dataParallelSize", 32));
        assertThat(replica("deepseek_v3", vllm, 1).problems())
                .singleElement()
                .extracting(Problem::render)
                .asString()
                .contains("is 1, which", "use ep=32")
                .doesNotContain("SGLang");
    }

    @ParameterizedTest
    @CsvSource({
        "qwen2_5_72b, INT4, 8, 'groups of 128 INT4 weights, which have a common scale: ffn_dim 29568 / 8 = 3696 is not a multiple of 128'",
        "qwen2_5_72b, INT4, 8, 'use tp=1, or model.ffn_dim=29696 if the checkpoint is padded'",
        "qwen2_5_72b, INT4, 1, ''",
        "qwen2_5_72b, NVFP4, 8, ''",
        "qwen2_5_72b, FP8, 8, ''",
        "qwen3_30b_a3b, INT4, 4, ''",
        "qwen3_30b_a3b, FP8_BLOCK, 4, 'blocks of 128 FP8 weights: moe_ffn_dim 768 / 4 = 192'"
    })
    void rejectsDividedGroupsOfWeights(String model, Precision weights, int tensor, String problem) {
        ReplicaModel replica = stored(model, weights, tensor);
        assertProblem(replica, problem);
        boolean isSlow = weights == Precision.INT4 && tensor == 4;
        assertThat(replica.warnings().stream()
                        .filter(warning -> warning.contains("moe_ffn_dim 768 / 4 divides groups")))
                .hasSize(isSlow ? 1 : 0);
    }

    private static ReplicaModel stored(String model, Precision weights, int tensor) {
        ReplicaModel plain = replica(model, KeyRecord.defaults(SchedulerSettings.VllmV1.class), tensor);
        return KeyRecord.with(
                ReplicaModel.class, plain, Map.of("model", plain.model().stored(weights, weights, Precision.BF16)));
    }

    @ParameterizedTest
    @CsvSource({
        "TensorRT-LLM 0.17, ''",
        "'TensorRT-LLM 0.19 and later, PyTorch', 'model.weights: is int8, and TensorRT-LLM has no kernels'"
    })
    void knowsTheRuntimeOfTensorRt(String versions, String problem) {
        ReplicaModel plain = replica("llama3_8b", EngineSchedulers.of("trtllm"), 1);
        assertProblem(
                KeyRecord.with(
                        ReplicaModel.class,
                        plain,
                        Map.of(
                                "engine",
                                KeyRecord.with(StepCard.class, ENGINE, Map.of("versions", Optional.of(versions))),
                                "model",
                                plain.model().stored(Precision.INT8, Precision.INT8, Precision.BF16))),
                problem);
    }

    private static void assertProblem(ReplicaModel replica, String expected) {
        assertThat(replica.problems().stream().map(Problem::render).toList())
                .hasSize(expected.isEmpty() ? 0 : 1)
                .allSatisfy(problem -> assertThat(problem).contains(expected));
    }

    @Test
    void warnsOfATokenLimitThatLowersTheSequences() {
        assertThat(vllm("maxNumBatchedTokens", Optional.of(1)).warnings())
                .singleElement()
                .asString()
                .contains("max_num_seqs", "to 1,");
    }

    @Test
    void warnsOfASchedulerOfAnotherEngine() {
        StepCard engine = KeyRecord.with(
                StepCard.class,
                ENGINE,
                Map.of("execution", StepCard.Execution.GRAPH, "versions", Optional.of("SGLang 0.4")));
        ReplicaModel replica = KeyRecord.with(ReplicaModel.class, vllm("watermark", 0.0), Map.of("engine", engine));
        assertThat(replica.warnings()).singleElement().asString().contains("vllm_v1", "SGLang");
    }

    @Test
    void warnsOfStatedBlocksThatExceedTheMemory() {
        ReplicaModel large = vllm("numGpuBlocksOverride", Optional.of(200_000));
        assertThat(large.warnings()).singleElement().asString().contains("num_gpu_blocks_override", "390.6 GiB");
        assertThat(ConditionText.engine("vLLM V1", large)).contains("200,000 KV blocks");
        assertThat(vllm("numGpuBlocksOverride", Optional.of(1000)).warnings()).isEmpty();
    }

    @Test
    void warnsOfDraftsThatAreSlowerOrBeyondThePublishedRates() {
        assertThat(drafting(Speculation.Method.EAGLE3, 64, Optional.empty()).warnings())
                .hasSize(2)
                .anyMatch(warning -> warning.contains("published for up to 3"))
                .anyMatch(warning -> warning.contains("slower"));
        ModelCard target = CardFiles.model("llama3_8b");
        assertThat(drafting(Speculation.Method.DRAFT_MODEL, 3, Optional.of(target))
                        .warnings())
                .singleElement()
                .asString()
                .contains("slower");
        ReplicaModel published = drafting(Speculation.Method.EAGLE3, 3, Optional.empty());
        assertThat(published.warnings()).isEmpty();
        assertThat(published.drafts().orElseThrow()).contains("eagle3", "[0.7, 0.68, 0.62]", "assumed");
    }

    @Test
    void reportsEngineAndWidthOfProducts() {
        SchedulerSettings trtllm = EngineSchedulers.of("trtllm");
        assertThat(trtllm.blockSize()).isEqualTo(32);
        assertThat(trtllm.batchSizeCap()).isEqualTo(2048);
        assertThat(ConditionText.engineName(
                        replica("llama3_8b", trtllm, 1).spec().scheduler()))
                .isEqualTo("TensorRT-LLM");
        ModelCard four = CardFiles.model("llama3_8b").stored(Precision.NVFP4, Precision.NVFP4, Precision.BF16);
        assertThat(ConditionText.model(four, DEVICE)).contains("dequantised to 16 bits");
        assertThat(ConditionText.model(four, CardFiles.hardware("b200"))).doesNotContain("dequantised");
    }

    @ParameterizedTest
    @CsvSource({"7, false", "17, false", "24, false", "1, true", "8, true", "16, true", "128, true", "528, true"})
    void usesTheBlockSizesOfTheAttentionKernels(int size, boolean isTaken) {
        assertThat(vllm("blockSize", size).problems()).hasSize(isTaken ? 0 : 1);
    }

    private static ReplicaModel replica(String model, SchedulerSettings scheduler, int tp) {
        return ReplicaModel.computed(
                CardFiles.model(model),
                DEVICE,
                ENGINE,
                scheduler,
                EngineSchedulers.cluster(tp, 1, Optional.empty()),
                SEQUENCE);
    }

    @Test
    void reportsWhyItCannotRun() {
        for (SchedulerSettings scheduler : SCHEDULERS) {
            assertThat(replica("llama3_70b", scheduler, 1).whyInfeasible().orElseThrow())
                    .contains("memory");
            assertThat(replica("llama3_8b", scheduler, 3).whyInfeasible().orElseThrow())
                    .contains("divide");
            assertThat(replica("llama3_8b", scheduler, 1).whyInfeasible()).isEmpty();
        }
    }
}
