package dev.stagesim.sim.serving.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.model.Key;
import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.policy.QueueOrder;
import dev.stagesim.sim.serving.policy.Speculation;
import dev.stagesim.sim.serving.spec.SchedulerSettings.Sglang;
import dev.stagesim.sim.serving.spec.SchedulerSettings.VllmV1;
import dev.stagesim.sim.serving.spec.SchedulerSpec.FasterTransformer;
import dev.stagesim.sim.serving.spec.SchedulerSpec.LightLlm;
import dev.stagesim.sim.serving.spec.SchedulerSpec.Orca;
import dev.stagesim.sim.serving.spec.SchedulerSpec.Sarathi;
import dev.stagesim.sim.serving.spec.SchedulerSpec.Vllm;
import java.util.List;
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
                new VllmV1(
                        VllmRules.V0_33,
                        Optional.empty(),
                        Optional.empty(),
                        16,
                        0.92,
                        Optional.empty(),
                        VllmV1.ProfiledSampler.SELECT,
                        true,
                        PLANNED,
                        true,
                        true,
                        0,
                        false,
                        Optional.empty(),
                        0,
                        true,
                        Optional.empty(),
                        2,
                        VllmV1.SchedulingPolicy.FCFS,
                        false,
                        1,
                        1,
                        1,
                        1,
                        false,
                        1,
                        false,
                        1,
                        16,
                        new VllmV1.Speculative(
                                Speculation.Method.EAGLE,
                                0,
                                List.of(),
                                1,
                                Optional.empty(),
                                Optional.empty(),
                                List.of())),
                new Sglang(
                        SglangRules.V0_5_23,
                        Optional.empty(),
                        Optional.empty(),
                        16384,
                        1,
                        Optional.empty(),
                        Optional.empty(),
                        QueueOrder.Policy.FCFS,
                        1,
                        false,
                        RadixTree.Eviction.LRU,
                        new Sglang.EvictionConfig(2, 0, 0),
                        false,
                        false,
                        Optional.empty()));
    }

    static List<SchedulerSettings> variations() {
        return List.of(
                new Vllm(64, 32, 0.02, BLOCKS, 2048),
                new Sarathi(64, 32, 0.02, BLOCKS, 256),
                new Orca(64, 32, BLOCKS),
                new FasterTransformer(64, 32, BLOCKS),
                new LightLlm(64, 2, BLOCKS, 2048, 5),
                new VllmV1(
                        VllmRules.V0_28,
                        Optional.of(64),
                        Optional.of(4096),
                        32,
                        0.8,
                        Optional.of(0.7),
                        VllmV1.ProfiledSampler.SORT,
                        false,
                        BLOCKS,
                        false,
                        false,
                        512,
                        true,
                        Optional.of(32),
                        0.01,
                        false,
                        Optional.of(false),
                        1,
                        VllmV1.SchedulingPolicy.PRIORITY,
                        true,
                        4,
                        2,
                        8,
                        2,
                        true,
                        8,
                        true,
                        4,
                        64,
                        new VllmV1.Speculative(
                                Speculation.Method.MTP,
                                2,
                                List.of(0.9, 0.5),
                                0.5,
                                Optional.of(EveryKey.model()),
                                Optional.of(0.1),
                                List.of("2 0"))),
                new Sglang(
                        SglangRules.V0_5,
                        Optional.of(64),
                        Optional.of(4096),
                        8192,
                        16,
                        Optional.of(0.8),
                        Optional.of(9000),
                        QueueOrder.Policy.LPM,
                        0.5,
                        true,
                        RadixTree.Eviction.TLRU,
                        new Sglang.EvictionConfig(3, 512, 64),
                        true,
                        true,
                        Optional.of(500)));
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
