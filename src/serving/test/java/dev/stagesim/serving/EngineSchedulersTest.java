package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings.VllmV1;
import org.junit.jupiter.api.Test;

final class EngineSchedulersTest {
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
