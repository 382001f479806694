package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings.VllmV1;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class EngineSchedulersTest {
    private static SchedulerSpec.VllmV1 on(HardwareCard card) {
        return (SchedulerSpec.VllmV1) ReplicaModel.computed(
                        CardFiles.model("qwen3"),
                        card,
                        KeyRecord.defaults(StepCard.class),
                        EngineSchedulers.of("vllm_v1"),
                        EngineSchedulers.cluster(1, 1, Optional.empty()),
                        2048)
                .spec(2048)
                .scheduler();
    }

    @Test
    void plansNoStepAheadOnProcessors() {
        HardwareCard gpu = CardFiles.hardware("a100");
        HardwareCard processor = KeyRecord.with(HardwareCard.class, gpu, Map.of("form", "processor"));
        assertThat(on(gpu).settings().asyncScheduling()).isTrue();
        assertThat(on(gpu).settings().maxNumSeqs()).isEqualTo(256);
        assertThat(on(processor).settings().asyncScheduling()).isFalse();
        assertThat(on(processor).settings().maxNumSeqs()).isEqualTo(128);
    }

    @Test
    void disablesOverlapInPrefillPoolsOfTensorRtLlm() {
        SchedulerSettings tensorRt = EngineSchedulers.of("trtllm");
        assertThat(EngineSchedulers.inPrefillPool("trtllm", tensorRt))
                .isInstanceOfSatisfying(
                        VllmV1.class,
                        pool -> assertThat(pool.admission().asyncScheduling()).contains(false));
        SchedulerSettings vllm = EngineSchedulers.of("vllm_v1");
        assertThat(EngineSchedulers.inPrefillPool("vllm_v1", vllm)).isSameAs(vllm);
    }
}
