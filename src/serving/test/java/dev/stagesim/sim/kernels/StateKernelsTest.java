package dev.stagesim.sim.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.sim.kernels.StateKernels.Scan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Measured times are those of AIConfigurator's tables for Qwen3.5-397B-A17B on one device, in microseconds. */
final class StateKernelsTest {
    private static StateKernels kernels(String device) {
        double cached = 1e6 * CardFiles.hardware(device).memory().onchipMb().orElseThrow();
        return new StateKernels(CardFiles.hardware(device), CardFiles.engine("none"), cached);
    }

    @ParameterizedTest
    @CsvSource({
        "h200_sxm_141gb, 1, 8192, 161, 1309",
        "h200_sxm_141gb, 16, 256, 83, 670",
        "b200_sxm_180gb, 1, 8192, 142, 925",
        "b200_sxm_180gb, 16, 8192, 2195, 13891",
        "l40s, 1, 8192, 694, 3959"
    })
    void computesPromptsInChunks(String device, int sequences, int tokens, double convolution, double scan) {
        StateKernels kernels = kernels(device);
        assertThat(kernels.convolution(sequences, tokens, 96 * 128)).isCloseTo(convolution, within(0.2 * convolution));
        assertThat(kernels.scan(sequences, tokens, 64, Scan.GATED_DELTA)).isCloseTo(scan, within(0.25 * scan));
    }

    @Test
    void usesOneKernelThatStartsEachHead() {
        StateKernels hopper = kernels("h200_sxm_141gb");
        assertThat(hopper.fusedScan()).isEqualTo(Scan.FUSED_HOPPER);
        assertThat(hopper.scan(16, 1, 64, hopper.fusedScan())).isCloseTo(79, within(10.0));
        assertThat(hopper.scan(1, 8192, 64, hopper.fusedScan())).isCloseTo(398, within(20.0));
        StateKernels blackwell = kernels("b200_sxm_180gb");
        assertThat(blackwell.scan(16, 1, 64, blackwell.fusedScan())).isCloseTo(127, within(5.0));
    }

    @Test
    void readsAndWritesStatesOfNewTokens() {
        StateKernels kernels = new StateKernels(CardFiles.hardware("h100"), CardFiles.engine("none"), 0);
        assertThat(kernels.step(1, 64)).isBetween(4.0, 8.0);
        double bytes = 9.1 * 1024 * 64 * StateKernels.HEAD_VALUES;
        assertThat(kernels.step(1024, 64)).isBetween(bytes / 3350e3, 1.4 * bytes / 3350e3);
        assertThat(kernels.convolutionStep(128, 96 * 128)).isCloseTo(10.7, within(4.0));
    }

    @ParameterizedTest
    @CsvSource({"qwen3_5_moe, GATED_DELTA", "kimi_linear, CHANNEL_GATED", "nemotron_h, STATE_SPACE"})
    void choosesTheKernelsOfAFamily(String family, Scan scan) {
        assertThat(Scan.of(family)).isEqualTo(scan);
    }
}
