package dev.stagesim.sim.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FlopsDefinitionTest {
    /** Recorded with llm-analysis d841e40. Its other weights include two norms per layer and a final norm. */
    @ParameterizedTest
    @CsvSource({
        "80,4096,64,4,10880,2,50304,1024,0,7130316800,2852786176,65157464064",
        "24,5120,40,40,20480,2,128256,2048,0,5033164800,2516833280,52258406400",
        "12,1024,16,4,4096,2,32000,1024,1,100663296,31482880,1520435200",
        "24,4096,32,4,16384,3,50304,2048,1,4831838208,906170368,50772049920",
        "24,768,12,12,3072,2,32000,2048,1,113246208,56660736,2159542272",
        "80,8192,64,64,32768,2,50304,2048,1,42949672960,21476155392,540167634944"
    })
    void equalsTheWeightsAndOperationsOfLlmAnalysis(
            int layers,
            double hidden,
            int heads,
            int groups,
            double feedForward,
            int matrices,
            double vocabulary,
            double sequence,
            double again,
            double denseWeights,
            double otherWeights,
            double flops) {
        double width = hidden / heads;
        Architecture model = new Architecture(
                "recorded",
                layers,
                hidden,
                new Architecture.Attention(heads, groups, width, width, Architecture.Latent.NONE),
                feedForward,
                matrices,
                vocabulary,
                false,
                Architecture.Mixture.NONE);
        assertThat(layers * model.denseWeights()).isEqualTo(denseWeights);
        assertThat(layers * model.attentionWeights() + (2 * layers + 1) * hidden)
                .isEqualTo(otherWeights);
        assertThat(FlopsDefinition.HARDWARE.perToken(model, sequence, again, 0)).isCloseTo(flops, within(1e-9 * flops));
    }
}
