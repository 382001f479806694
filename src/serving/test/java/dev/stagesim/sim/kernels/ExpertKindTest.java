package dev.stagesim.sim.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.ExpertLibrary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Measured times are those of AIConfigurator's tables for Qwen3 with 8 of 128 experts per token, in microseconds. */
final class ExpertKindTest {
    private static Kernels kernels(String device, ExpertLibrary library) {
        return new Kernels(CardFiles.hardware(device), CardFiles.engine("none").computingExperts(library));
    }

    /** Time of Qwen3-30B-A3B with experts of {@code parts} devices. */
    private static double micros(Kernels kernels, int tokens, int parts, Precision weights) {
        double rows = 8.0 * tokens / parts;
        Kernels.ExpertLoad load =
                new Kernels.ExpertLoad(Math.min(128.0 / parts, Math.max(1, rows)), tokens, rows, 8.0 * tokens);
        return kernels.experts(load, new Kernels.Expert(2048, 768, 3 * 2048 * 768), weights);
    }

    @ParameterizedTest
    @CsvSource({
        "h100_sxm_80gb, CUTLASS, 16, 1, 420",
        "h100_sxm_80gb, CUTLASS, 8192, 8, 227",
        "h100_sxm_80gb, CUTLASS, 16384, 32, 151",
        "h100_sxm_80gb, DEEP_GEMM, 16, 1, 420",
        "h100_sxm_80gb, DEEP_GEMM, 8192, 8, 580",
        "h100_sxm_80gb, DEEP_GEMM, 16384, 32, 931",
        "b200_sxm_180gb, DEEP_GEMM, 16384, 16, 174",
        "b300_sxm_288gb, FLASH_INFER, 8192, 1, 667"
    })
    void movesOnlyRowsOfTheDeviceUnlessKernelsAreThoseOfTriton(
            String device, ExpertLibrary library, int tokens, int parts, double measured) {
        assertThat(micros(kernels(device, library), tokens, parts, Precision.BF16))
                .isCloseTo(measured, within(0.25 * measured));
    }

    @Test
    void usesTritonOnBlackwellExceptForNvfp4() {
        Kernels triton = kernels("b200_sxm_180gb", ExpertLibrary.TRITON);
        Kernels generated = kernels("b200_sxm_180gb", ExpertLibrary.CUTLASS);
        for (Precision weights : new Precision[] {Precision.BF16, Precision.FP8, Precision.FP8_BLOCK}) {
            assertThat(micros(triton, 4096, 1, weights)).isGreaterThan(1.4 * micros(generated, 4096, 1, weights));
        }
        assertThat(micros(triton, 4096, 1, Precision.NVFP4)).isEqualTo(micros(generated, 4096, 1, Precision.NVFP4));
        assertThat(micros(triton, 4096, 1, Precision.INT4)).isEqualTo(micros(generated, 4096, 1, Precision.INT4));
    }

    /** On Blackwell without HBM, CUTLASS multiplies MXFP4. Marlin of the other engines unpacks it. */
    @Test
    void unpacksMxfp4OnBlackwellWithoutHbm() {
        double cutlass = micros(kernels("rtx_pro_6000_server", ExpertLibrary.CUTLASS), 16_384, 1, Precision.MXFP4);
        Kernels marlin = kernels("rtx_pro_6000_server", ExpertLibrary.DEEP_GEMM);
        assertThat(micros(marlin, 16_384, 1, Precision.MXFP4)).isGreaterThan(2 * cutlass);
        assertThat(micros(marlin, 16_384, 1, Precision.NVFP4)).isLessThan(cutlass);
    }

    @Test
    void storesWholeTilesForGeneratedKernels() {
        Kernels.ExpertLoad load = new Kernels.ExpertLoad(128, 16, 128, 128);
        Kernels generated = kernels("b300_sxm_288gb", ExpertLibrary.FLASH_INFER);
        Kernels.Expert narrow = new Kernels.Expert(4096, 48, 3 * 4096 * 48);
        Kernels.Expert tile = new Kernels.Expert(4096, 128, 3 * 4096 * 128);
        assertThat(generated.experts(load, narrow, Precision.BF16))
                .isCloseTo(73.7, within(7.0))
                .isCloseTo(generated.experts(load, tile, Precision.BF16), within(1e-9));
        Kernels hopper = kernels("h100_sxm_80gb", ExpertLibrary.FLASH_INFER);
        assertThat(hopper.experts(load, narrow, Precision.BF16))
                .isLessThan(0.7 * hopper.experts(load, tile, Precision.BF16));
    }

    @Test
    void takesLongerToQuantiseForNvfp4WithoutStackedMemory() {
        Kernels kernels = kernels("rtx_pro_6000_server", ExpertLibrary.FLASH_INFER);
        assertThat(micros(kernels, 1, 8, Precision.NVFP4)).isGreaterThan(micros(kernels, 1, 8, Precision.FP8_BLOCK));
    }
}
