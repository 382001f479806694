package dev.stagesim.sim.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.SharedLayers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ExpertTimesTest {
    private static final List<Operator> FEED_FORWARD =
            List.of(Operator.MLP_UP_PROJ, Operator.MLP_DOWN_PROJ, Operator.MLP_ACT);
    private static final HardwareCard H200 = CardFiles.hardware("h200");
    private static final StepCard ENGINE = CardFiles.engine("vllm_v1");

    private static LayerTimes layers(String model, Sharding sharding) {
        return new LayerTimes(CardFiles.model(model), H200, ENGINE, sharding);
    }

    private static double feedForward(LayerTimes layers, int tokens) {
        return FEED_FORWARD.stream()
                .mapToDouble(operator -> layers.milliseconds(operator, tokens))
                .sum();
    }

    /** For equal numbers of tokens per engine, the times of the separate and the shared part add up to the layer. */
    @ParameterizedTest
    @CsvSource({"deepseek_v3, 1", "deepseek_v3, 64", "deepseek_v3, 4000", "qwen3_30b_a3b, 37", "qwen3_30b_a3b, 900"})
    void sumsPartsToTheLayer(String model, int tokens) {
        LayerTimes layers = layers(model, new Sharding(1, 1, 8, 1, 8));
        ExpertTimes engine = new ExpertTimes(layers, layers);
        SharedLayers shared = engine.sharedLayers().orElseThrow();

        double own = FEED_FORWARD.stream()
                .mapToDouble(operator -> engine.milliseconds(operator, tokens))
                .sum();

        assertThat(own + shared.milliseconds(tokens, 8L * tokens)).isCloseTo(feedForward(layers, tokens), within(1e-9));
    }

    /**
     * Devices that share attention each send a part of the tokens, as many as devices with separate attention, and gather the
     * results. The experts compute every token once.
     */
    @Test
    void sendsEveryTokenOnce() {
        LayerTimes tensor = layers("deepseek_v3", new Sharding(8, 1, 8, 1, 64));
        LayerTimes data = layers("deepseek_v3", new Sharding(1, 1, 64, 1, 64));
        ModelCard model = CardFiles.model("deepseek_v3");
        double expertLayers =
                ModelSize.expertLayers(model) / (double) model.shape().numLayers();
        double gather = new Links(H200).allGather(2.0 * 8192 * model.shape().hiddenSize(), 8) * 1e-3 * expertLayers;

        double sent = tensor.exchangeMilliseconds(8192, 65_536);

        assertThat(sent - gather).isCloseTo(data.exchangeMilliseconds(1024, 65_536), within(1e-9));
        assertThat(tensor.milliseconds(8192, 65_536) - sent)
                .isCloseTo(data.milliseconds(1024, 65_536) - data.exchangeMilliseconds(1024, 65_536), within(1e-9));
    }

    /** If the other engines have fewer tokens, the time is shorter, but at least the time of the largest engine. */
    @Test
    void dependsOnTokensOfAllEngines() {
        SharedLayers shared = new ExpertTimes(
                        layers("deepseek_v3", new Sharding(1, 1, 8, 1, 8)),
                        layers("deepseek_v3", new Sharding(1, 1, 8, 1, 8)))
                .sharedLayers()
                .orElseThrow();

        assertThat(shared.milliseconds(2000, 2007))
                .isLessThan(shared.milliseconds(2000, 16_000))
                .isGreaterThan(shared.milliseconds(251, 2007));
    }

    /** Without expert parallelism, every device computes a part of every expert for the tokens of all devices. */
    @Test
    void dividesEveryExpertBetweenDevices() {
        ModelCard model = CardFiles.model("qwen3_30b_a3b");
        LayerTimes layers = layers("qwen3_30b_a3b", new Sharding(1, 1, 8, 8, 1));
        double sent = 2 * new Links(H200).allGather(2.0 * 4000 * model.shape().hiddenSize(), 8) * 1e-3;

        double shared = layers.milliseconds(1000, 4000);

        assertThat(shared).isGreaterThan(sent);
        assertThat(layers.milliseconds(600, 4000))
                .as("every device receives all tokens")
                .isEqualTo(shared);
    }

    @Test
    void sharesNothingWithOneEngine() {
        LayerTimes parts = layers("qwen3_30b_a3b", new Sharding(8, 1, 1, 1, 8));
        ExpertTimes engine = new ExpertTimes(layers("qwen3_30b_a3b", Sharding.tensor(8, 1)), parts);

        assertThat(engine.sharedLayers()).isEmpty();
        assertThat(engine.milliseconds(Operator.MLP_UP_PROJ, 64))
                .isEqualTo(parts.milliseconds(Operator.MLP_UP_PROJ, 64));
    }
}
