package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.CardFiles;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.StepCard;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.Defaults;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.SimulationSettings;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.sim.serving.SchedulerSpec;
import dev.stagesim.sim.serving.ServingSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ServedCopyTest {
    private static final int SEQUENCE = 3000;
    private static final ModelCard MODEL = CardFiles.model("llama3_8b");
    private static final HardwareCard DEVICE = CardFiles.hardware("h100");
    private static final StepCard ENGINE = Defaults.noEngine();

    private static final List<SchedulerSettings> SCHEDULERS = List.of(
            KeyRecord.usual(SchedulerSettings.VllmV1.class),
            KeyRecord.of(
                    SchedulerSettings.VllmV1.class,
                    Map.of("maxNumSeqs", Optional.of(32), "maxNumBatchedTokens", Optional.of(700))),
            KeyRecord.usual(SchedulerSettings.Sglang.class),
            KeyRecord.usual(SchedulerSpec.Sarathi.class),
            KeyRecord.usual(SchedulerSpec.Vllm.class));

    /** The same copy as {@code vidur_sim} has it. */
    private static Deployment simulated(SchedulerSettings scheduler, int tp, int pp) {
        return new Deployment(
                MODEL,
                DEVICE,
                KeyRecord.usual(PredictorSettings.Interpolation.class),
                ENGINE,
                scheduler,
                KeyRecord.of(ClusterSettings.class, Map.of("tensorParallelSize", tp, "numPipelineStages", pp)),
                KeyRecord.usual(SimulationSettings.Overheads.class),
                Optional.empty(),
                Optional.empty(),
                Compat.NONE);
    }

    @Test
    void aCopyHasTheMemoryAndTheLimitsThatItIsSimulatedWith() throws IOException {
        for (SchedulerSettings scheduler : SCHEDULERS) {
            for (int tp : new int[] {1, 2}) {
                ServingSpec copy = new ServedCopy(MODEL, DEVICE, ENGINE, tp, 1, scheduler, 0.1).spec(SEQUENCE);
                ServingSpec simulated = simulated(scheduler, tp, 1).spec(SEQUENCE, false, Path.of("unread"));
                assertThat(copy.scheduler()).isEqualTo(simulated.scheduler());
                assertThat(copy.cluster()).isEqualTo(simulated.cluster());
                assertThat(MemoryPlan.of(copy)).isEqualTo(MemoryPlan.of(simulated));
            }
        }
    }

    @Test
    void whatCannotRunSaysWhy() {
        for (SchedulerSettings scheduler : SCHEDULERS) {
            ServedCopy large = new ServedCopy(CardFiles.model("llama3_70b"), DEVICE, ENGINE, 1, 1, scheduler, 0.1);
            assertThat(large.misfit(SEQUENCE).orElseThrow()).contains("memory");
            assertThat(new ServedCopy(MODEL, DEVICE, ENGINE, 1, 1, scheduler, 0.1).misfit(SEQUENCE))
                    .isEmpty();
        }
    }
}
