package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.StageException;
import dev.stagesim.sim.serving.ServingFixtures;
import dev.stagesim.sim.serving.SglangFixtures;
import dev.stagesim.sim.serving.VllmFixtures;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.Footprint;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.ModelShape;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Pipelines of a model with 61 layers, a prime number. */
final class UnevenPipelinesTest {
    private static final int LAYERS = 61;
    private static final long LAYER_BYTES = 1L << 20;
    private static final SchedulerSpec VLLM =
            VllmFixtures.engine(VllmFixtures.settings(8, 512, Map.of()), 100, Map.of());

    private static ServingSpec spec(SchedulerSpec scheduler, int stages) {
        return new ServingSpec(
                new ModelShape(LAYERS, 4, 2, 256, 64, 512, true, true),
                Optional.of(new Footprint(
                        LAYERS * LAYER_BYTES / 2, LAYERS * LAYER_BYTES / 2, LAYERS * 512, LAYERS * LAYER_BYTES, true)),
                new ClusterSpec(1, 1, stages, 1, 312, 0, GlobalPolicy.ROUND_ROBIN, 42),
                VllmFixtures.onStages(scheduler, stages),
                TimingSpec.DEFAULT,
                1000,
                0,
                VidurQuirk.NONE);
    }

    @Test
    void countsEveryStageAsTheLargest() {
        ServingSpec two = spec(VLLM, 2);
        assertThat(two.layersPerStage()).isEqualTo(31);
        assertThat(two.weightBytesPerDevice()).isEqualTo(31 * LAYER_BYTES);
        assertThat(two.heldKvBytesPerToken()).isCloseTo(62 * 512, within(1e-6));
        assertThat(spec(VLLM, LAYERS).layersPerStage()).isEqualTo(1);
    }

    @Test
    void statesTheExcessOfLayers() {
        assertThat(ConditionText.parallelism(spec(VLLM, 2)))
                .endsWith("2 pipeline stages of at most 31 of 61 layers, all simulated as the largest one (62 layers,"
                        + " +1.6\u00a0%)");
        assertThat(ConditionText.parallelism(spec(VLLM, 4))).endsWith("(64 layers, +4.9\u00a0%)");
        assertThat(ConditionText.parallelism(spec(VLLM, 1))).endsWith("1 pipeline stage");
    }

    private static void rejects(SchedulerSpec scheduler, int stages, String reason) {
        assertThatThrownBy(() -> spec(scheduler, stages))
                .isInstanceOfSatisfying(StageException.class, error -> assertThat(error.problems())
                        .singleElement()
                        .satisfies(problem -> assertThat(problem.what()).contains(reason)));
    }

    @Test
    void rejectsStagesWithOneReason() {
        rejects(VLLM, LAYERS + 1, "the model has 61 layers");
        rejects(ServingFixtures.sarathi(8, 16, 100, 64), 2, "does not divide the model's layers (61)");
        SchedulerSpec sglang = new SchedulerSpec.Sglang(
                ServingFixtures.limits(8, 1, 0, 0), 0.9, 1000, true, SglangFixtures.settings(Map.of()));
        rejects(sglang, 2, "supports one stage only");
        rejects(new SchedulerSpec.LightLlm(ServingFixtures.limits(8, 1, 0, 0), 4096, 10), 2, "supports one stage only");
    }
}
