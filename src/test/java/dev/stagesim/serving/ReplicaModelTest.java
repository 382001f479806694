package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.CardFiles;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StepCard;
import dev.stagesim.settings.Defaults;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.sim.serving.SchedulerSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

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
