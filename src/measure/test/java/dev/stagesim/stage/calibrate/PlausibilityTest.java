package dev.stagesim.stage.calibrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.measure.CalibrateSettings.Term;
import dev.stagesim.measure.Defaults;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Sharding;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlausibilityTest {
    /** Kernels that reach 80 % of the bandwidth at any size. */
    private static final HardwareCard HARDWARE = CardFiles.hardware(
            "h100",
            "hardware.kernels.product_us=0",
            "hardware.kernels.attention_us=0",
            "hardware.kernels.elementwise_us=0",
            "hardware.kernels.product_bandwidth=0.8",
            "hardware.kernels.attention_bandwidth=0.8",
            "hardware.kernels.elementwise_bandwidth=0.8");

    private static List<String> findings(double linear, double decode) {
        ModelCard model = CardFiles.model("llama3_8b");
        OperatorTimes times = new LayerTimes(model, HARDWARE, Defaults.noEngine(), Sharding.tensor(1, 1), 4096);
        double[] values = Coefficients.none().values().clone();
        values[Term.LINEAR.ordinal()] = linear;
        values[Term.DECODE_ATTENTION.ordinal()] = decode;
        return new Plausibility(model, HARDWARE, times, 1)
                .findings(new Coefficients(values), List.of(Term.STEP, Term.LINEAR, Term.DECODE_ATTENTION));
    }

    @Test
    void acceptsValuesWithinBoundsAndBandwidth() {
        for (double factor : new double[] {0.85, 1, 1.5, 1.99}) {
            assertThat(findings(factor, factor)).as("%s", factor).isEmpty();
        }
    }

    /** The roofline reaches 80 % of the bandwidth, so half its time would require 160 %. */
    @Test
    void reportsTheImpliedBandwidthWhenTheFitReachesABound() {
        assertThat(findings(0.5, 0.5))
                .hasSize(2)
                .allMatch(text -> text.matches(".* is at the bound of the fit, 0\\.50*: .*"
                        + "it implies 1(5|6)[0-9] % of the memory bandwidth of .*"));
        assertThat(findings(2, 1))
                .singleElement()
                .asString()
                .contains("linear is at the bound")
                .doesNotContain("%");
    }

    @Test
    void reportsExceededBandwidthBeforeTheBound() {
        assertThat(findings(0.7, 1)).singleElement().asString().contains("linear = 0.7", "is not possible", "110 %");
    }
}
