package dev.stagesim.sim.serving.spec;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.settings.SchedulePolicy;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.sim.serving.spec.SchedulerSettings.Sglang;
import dev.stagesim.sim.serving.spec.SchedulerSettings.VllmV1;
import dev.stagesim.sim.serving.spec.SchedulerSpec.FasterTransformer;
import dev.stagesim.sim.serving.spec.SchedulerSpec.LightLlm;
import dev.stagesim.sim.serving.spec.SchedulerSpec.Orca;
import dev.stagesim.sim.serving.spec.SchedulerSpec.Sarathi;
import dev.stagesim.sim.serving.spec.SchedulerSpec.Vllm;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

public final class SchedulerSettingsTest {
    private static final Optional<Integer> PLANNED = Optional.empty();
    private static final Optional<Integer> BLOCKS = Optional.of(900);

    record Root(@Key("Scheduler.") SchedulerSettings scheduler) {}

    public static List<SchedulerSettings> defaults() {
        return List.of(
                new Vllm(128, 16, 0.01, PLANNED, 4096),
                new Sarathi(128, 16, 0.01, PLANNED, 512),
                new Orca(128, 16, PLANNED),
                new FasterTransformer(128, 16, PLANNED),
                new LightLlm(128, 1, PLANNED, 4096, 10),
                KeyRecord.of(
                        VllmV1.class,
                        Map.ofEntries(
                                entry("version", VllmRules.V0_33),
                                entry("maxNumSeqs", Optional.empty()),
                                entry("maxNumBatchedTokens", Optional.empty()),
                                entry("blockSize", 16),
                                entry("gpuMemoryUtilization", 0.92),
                                entry("freeGpuMemoryFraction", Optional.empty()),
                                entry("profiledSampler", VllmV1.ProfiledSampler.SELECT),
                                entry("estimateGraphMemory", true),
                                entry("numGpuBlocksOverride", PLANNED),
                                entry("enablePrefixCaching", true),
                                entry("enableChunkedPrefill", true),
                                entry("longPrefillTokenThreshold", 0),
                                entry("longPrefillTokenThresholdAdaptive", false),
                                entry("maxNumActiveSeqs", Optional.empty()),
                                entry("watermark", 0),
                                entry("schedulerReserveFullIsl", true),
                                entry("asyncScheduling", Optional.empty()),
                                entry("modelRunner", 2),
                                entry("schedulingPolicy", VllmV1.SchedulingPolicy.FCFS),
                                entry("disableHybridKvCacheManager", false),
                                entry("decodeContextParallelSize", 1),
                                entry("prefillContextParallelSize", 1),
                                entry("cpKvCacheInterleaveSize", 1),
                                entry("dataParallelSize", 1),
                                entry("enableExpertParallel", false),
                                entry("prefillScheduleInterval", 1),
                                entry("enableLora", false),
                                entry("maxLoras", 1),
                                entry("maxLoraRank", 16),
                                entry(
                                        "speculative",
                                        new VllmV1.Speculative(
                                                Speculation.Method.EAGLE,
                                                0,
                                                List.of(),
                                                1,
                                                Optional.empty(),
                                                Optional.empty(),
                                                List.of())))),
                KeyRecord.of(
                        Sglang.class,
                        Map.ofEntries(
                                entry("version", SglangRules.V0_5_23),
                                entry("maxRunningRequests", Optional.empty()),
                                entry("chunkedPrefillSize", Optional.empty()),
                                entry("maxPrefillTokens", 16384),
                                entry("pageSize", 1),
                                entry("memFractionStatic", Optional.empty()),
                                entry("maxTotalTokens", Optional.empty()),
                                entry("schedulePolicy", SchedulePolicy.FCFS),
                                entry("scheduleConservativeness", 1),
                                entry("disableRadixCache", false),
                                entry("radixEvictionPolicy", RadixTree.Eviction.LRU),
                                entry("radixEvictionPolicyConfig", new Sglang.EvictionConfig(2, 0, 0)),
                                entry("dataParallelSize", 1),
                                entry("enableExpertParallel", false),
                                entry("enableMixedChunk", false),
                                entry("disableOverlapSchedule", false),
                                entry("maxNewTokens", Optional.empty()))));
    }

    static List<SchedulerSettings> variations() {
        return List.of(
                new Vllm(64, 32, 0.02, BLOCKS, 2048),
                new Sarathi(64, 32, 0.02, BLOCKS, 256),
                new Orca(64, 32, BLOCKS),
                new FasterTransformer(64, 32, BLOCKS),
                new LightLlm(64, 2, BLOCKS, 2048, 5),
                KeyRecord.of(
                        VllmV1.class,
                        Map.ofEntries(
                                entry("version", VllmRules.V0_28),
                                entry("maxNumSeqs", Optional.of(64)),
                                entry("maxNumBatchedTokens", Optional.of(4096)),
                                entry("blockSize", 32),
                                entry("gpuMemoryUtilization", 0.8),
                                entry("freeGpuMemoryFraction", Optional.of(0.7)),
                                entry("profiledSampler", VllmV1.ProfiledSampler.SORT),
                                entry("estimateGraphMemory", false),
                                entry("numGpuBlocksOverride", BLOCKS),
                                entry("enablePrefixCaching", false),
                                entry("enableChunkedPrefill", false),
                                entry("longPrefillTokenThreshold", 512),
                                entry("longPrefillTokenThresholdAdaptive", true),
                                entry("maxNumActiveSeqs", Optional.of(32)),
                                entry("watermark", 0.01),
                                entry("schedulerReserveFullIsl", false),
                                entry("asyncScheduling", Optional.of(false)),
                                entry("modelRunner", 1),
                                entry("schedulingPolicy", VllmV1.SchedulingPolicy.PRIORITY),
                                entry("disableHybridKvCacheManager", true),
                                entry("decodeContextParallelSize", 4),
                                entry("prefillContextParallelSize", 2),
                                entry("cpKvCacheInterleaveSize", 8),
                                entry("dataParallelSize", 2),
                                entry("enableExpertParallel", true),
                                entry("prefillScheduleInterval", 8),
                                entry("enableLora", true),
                                entry("maxLoras", 4),
                                entry("maxLoraRank", 64),
                                entry(
                                        "speculative",
                                        new VllmV1.Speculative(
                                                Speculation.Method.MTP,
                                                2,
                                                List.of(0.9, 0.5),
                                                0.5,
                                                Optional.of(EveryKey.model()),
                                                Optional.of(0.1),
                                                List.of("2 0"))))),
                KeyRecord.of(
                        Sglang.class,
                        Map.ofEntries(
                                entry("version", SglangRules.V0_5),
                                entry("maxRunningRequests", Optional.of(64)),
                                entry("chunkedPrefillSize", Optional.of(4096)),
                                entry("maxPrefillTokens", 8192),
                                entry("pageSize", 16),
                                entry("memFractionStatic", Optional.of(0.8)),
                                entry("maxTotalTokens", Optional.of(9000)),
                                entry("schedulePolicy", SchedulePolicy.LPM),
                                entry("scheduleConservativeness", 0.5),
                                entry("disableRadixCache", true),
                                entry("radixEvictionPolicy", RadixTree.Eviction.TLRU),
                                entry("radixEvictionPolicyConfig", new Sglang.EvictionConfig(3, 512, 64)),
                                entry("dataParallelSize", 4),
                                entry("enableExpertParallel", true),
                                entry("enableMixedChunk", true),
                                entry("disableOverlapSchedule", true),
                                entry("maxNewTokens", Optional.of(500)))));
    }

    @ParameterizedTest
    @MethodSource("defaults")
    void declaresItsDefaults(SchedulerSettings scheduler) {
        SettingsContract.assertDefaults(new Root(scheduler));
    }

    @ParameterizedTest
    @MethodSource("variations")
    void bindsEveryKey(SchedulerSettings scheduler) {
        SettingsContract.assertEveryKeyNonDefault(new Root(scheduler));
    }

    @Test
    void testsEveryPolicy() {
        Class<?>[] policies = Stream.of(SchedulerSettings.class.getPermittedSubclasses())
                .flatMap(type -> type.isRecord() ? Stream.of(type) : Stream.of(type.getPermittedSubclasses()))
                .toArray(Class<?>[]::new);
        assertThat(defaults()).extracting(Object::getClass).containsExactlyInAnyOrder(policies);
        assertThat(variations()).extracting(Object::getClass).containsExactlyInAnyOrder(policies);
    }

    @Test
    void namesTheVersionOfTheRules() {
        assertThat(defaults().stream().flatMap(engine -> engine.rulesOf().stream()))
                .containsExactly("vLLM 0.33", "SGLang 0.5.23");
    }
}
