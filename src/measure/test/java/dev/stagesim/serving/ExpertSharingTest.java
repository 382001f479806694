package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.measure.Defaults;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.sim.serving.spec.Footprint;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ExpertSharingTest {
    private static final ModelCard MIXTURE = CardFiles.model("qwen3_30b_a3b");
    private static final ModelCard DENSE = CardFiles.model("llama3_8b");

    private static SchedulerSettings.VllmV1 engine(int engines, boolean hasOwn) {
        return KeyRecord.with(
                SchedulerSettings.VllmV1.class,
                Defaults.vllmV1(),
                Map.of("dataParallelSize", engines, "enableExpertParallel", hasOwn));
    }

    private static void check(SchedulerSettings.VllmV1 engine, ModelCard model, int tensor) {
        ClusterSettings cluster =
                KeyRecord.with(ClusterSettings.class, Defaults.cluster(), Map.of("tensorParallelSize", tensor));
        ExpertSharing.check(engine, model, CardFiles.hardware("h200"), cluster);
    }

    @Test
    void distributesExpertsOverTheDevicesOfAllEngines() {
        assertThat(ExpertSharing.of(engine(4, false), MIXTURE, 2, 1)).isEqualTo(new Sharding(2, 1, 4, 8, 1));
        assertThat(ExpertSharing.of(engine(4, true), MIXTURE, 2, 1)).isEqualTo(new Sharding(2, 1, 4, 1, 8));
        assertThat(ExpertSharing.of(engine(1, true), MIXTURE, 8, 1)).isEqualTo(new Sharding(8, 1, 1, 1, 8));
        assertThat(ExpertSharing.of(engine(4, false), DENSE, 2, 1)).isEqualTo(Sharding.tensor(2, 1));
        assertThat(ExpertSharing.lockStep(engine(4, false), MIXTURE)).isEqualTo(4);
        assertThat(ExpertSharing.lockStep(engine(4, false), DENSE)).isEqualTo(1);
        assertThat(ExpertSharing.lockStep(engine(1, true), MIXTURE)).isEqualTo(1);
    }

    /** 48 layers of 128 experts with 3 matrices of 2048 x 768. Each of eight engines owns 16 experts. */
    @Test
    void dividesExpertsBetweenEngines() {
        Footprint all = ServingSpecs.footprint(MIXTURE);
        Footprint part = ExpertSharing.footprint(MIXTURE, 8);

        assertThat(all.parameters() - part.parameters()).isEqualTo(48L * 112 * 3 * 2048 * 768);
        assertThat(all.weightBytes() - part.weightBytes()).isEqualTo(2 * 48L * 112 * 3 * 2048 * 768);
        assertThat(part.activeParameters()).isEqualTo(all.activeParameters());
        assertThat(ExpertSharing.footprint(DENSE, 8)).isEqualTo(ServingSpecs.footprint(DENSE));
    }

    @Test
    void rejectsExpertsThatCannotBeShared() {
        check(engine(8, true), MIXTURE, 1);
        check(engine(8, false), DENSE, 2);
        assertThatThrownBy(() -> check(engine(1, true), DENSE, 1)).hasMessageContaining(" has no experts");
        assertThatThrownBy(() -> check(engine(5, false), MIXTURE, 1))
                .hasMessageContaining("spread over 5 devices, which does not divide its width, 768");
        assertThatThrownBy(() -> check(engine(129, true), MIXTURE, 1))
                .hasMessageContaining("needs an expert for each of 129 devices, and ");
    }
}
