package dev.stagesim.sim.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.measure.Defaults;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.GraphModes;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class StepModelTest {
    private static double tokenMs(String model, String hardware, String engine, int tp, int batch, int context) {
        ModelCard card = CardFiles.model(model);
        HardwareCard device = CardFiles.hardware(hardware);
        StepCard step = engine.isEmpty() ? Defaults.noEngine() : CardFiles.engine(engine);
        Sharding sharding = Sharding.tensor(tp, 1);
        LayerTimes layers = new LayerTimes(card, device, step, sharding);
        StepModel steps = new StepModel(card, device.hostClass(), step, sharding, layers);
        return steps.milliseconds(steps.operators(layers, batch, batch, context, 0, 0, 0), batch, batch, 0);
    }

    /** The host launches a prompt of 27 recurrent layers in 1,100 us for each of them, and the other operators. */
    @Test
    void launchesRecurrentLayersOfPrompts() {
        ModelCard card = CardFiles.model("nvidia_nvidia_nemotron_nano_9b_v2");
        HardwareCard device = CardFiles.hardware("h100");
        StepCard step = CardFiles.engine("vllm_v1");
        Sharding one = Sharding.tensor(1, 1);
        StepModel steps = new StepModel(card, 1, step, one, new LayerTimes(card, device, step, one));
        double operators = 56 * (10 * 8.0);
        assertThat(steps.cost(1, 600, 0, 1).launchUs()).isCloseTo(100 + operators + 27 * 1100, within(1e-6));
        assertThat(steps.cost(1, 8, 8, 0).launchUs()).isEqualTo(20);
    }

    /**
     * Each token reads the active weights once, at a share of the bandwidth. The published values are in
     * specs/sanity.md.
     */
    @ParameterizedTest
    @CsvSource({
        "llama3_2_1b, h100, 1, 1.0, 2.5",
        "llama3_1_8b, h100, 1, 5.5, 8.0",
        "llama3_1_8b, a100, 1, 9.0, 13.0",
        "llama3_1_8b, l4, 1, 50, 75",
        "llama3_1_70b, h100, 8, 6.0, 13.0",
        "deepseek_v3, h200, 8, 8.0, 20.0",
        "kimi_k2, b200, 8, 6.0, 20.0",
        "qwen3_235b_a22b, h100, 8, 6.0, 18.0",
        "gpt_oss_120b, h100, 1, 3.0, 8.0",
        "llama4_scout, h100, 8, 4.0, 12.0",
        "gemma3_27b, h100, 1, 17, 26"
    })
    void predictsOneSequenceOnAModernEngine(String model, String hardware, int tp, double min, double max) {
        assertThat(tokenMs(model, hardware, "vllm_v1", tp, 1, 512)).isBetween(min, max);
    }

    @Test
    void isHostBoundForSmallEagerModels() {
        ModelCard model = CardFiles.model("qwen3");
        HardwareCard a100 = CardFiles.hardware("a100");
        StepCard engine = CardFiles.engine("sarathi");
        LayerTimes layers = new LayerTimes(model, a100, engine, Sharding.tensor(1, 1));
        StepModel steps = new StepModel(model, a100.hostClass(), engine, Sharding.tensor(1, 1), layers);
        StepCost cost = steps.cost(steps.operators(layers, 1, 1, 64, 0, 0, 0), 1, 1, 0);
        assertThat(cost.bound()).isEqualTo(StepCost.Bound.HOST);
        // 28 layers of 12 operators, plus the time per step and per sequence, on a host at half speed.
        assertThat(cost.totalUs()).isCloseTo(2 * (100 + 28 * 12 * 19 + 500 + 30), within(1e-6));
        StepModel fast =
                new StepModel(model, a100.hostClass(), CardFiles.engine("vllm_v1"), Sharding.tensor(1, 1), layers);
        assertThat(fast.cost(2, 1, 1, 0).bound()).isEqualTo(StepCost.Bound.DEVICE);
        assertThat(fast.cost(2, 1, 1, 0).graph()).isTrue();
        assertThat(fast.cost(2, 600, 600, 0).graph()).isFalse();
        assertThat(fast.cost(2, 100, 0, 1).graph()).isFalse();
    }

    @Test
    void overlapsHostAndDeviceIfTheEngineDoes() {
        StepCost beside = new StepCost(1000, 0, 0, 0, 300, 700, false, true);
        StepCost after = new StepCost(1000, 0, 0, 0, 300, 700, false, false);
        assertThat(beside.totalUs()).isEqualTo(1000);
        assertThat(after.totalUs()).isEqualTo(1700);
        assertThat(after.hostUs()).isEqualTo(700);
    }

    @ParameterizedTest
    @ValueSource(strings = {"vllm_v0", "vllm_v1", "sglang", "trtllm"})
    void runsBatchesAtTheNextCapturedSize(String engine) {
        StepCard card = CardFiles.engine(engine);
        TreeSet<Integer> captured = new TreeSet<>(List.of(1, 2, 4));
        int to = engine.equals("sglang") ? 160 : 256;
        for (int size = 8; size <= to; size += 8) {
            captured.add(size);
        }
        for (int size = 272; engine.equals("vllm_v1") && size <= 512; size += 16) {
            captured.add(size);
        }
        for (int tokens = 1; tokens <= 600; tokens++) {
            Integer next = captured.ceiling(tokens);
            assertThat(GraphModes.padded(card.graphs().captured(), tokens)).isEqualTo(next == null ? tokens : next);
        }
    }

    @Test
    void rejectsInvalidCapturedSizes() {
        assertThatThrownBy(() -> CardFiles.engine("vllm_v1", "engine.step.capture_sizes=[\"1..x\"]"))
                .hasMessageContaining("'1..x' is no captured size");
    }
}
