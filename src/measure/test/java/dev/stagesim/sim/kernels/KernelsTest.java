package dev.stagesim.sim.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.measure.Defaults;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KernelsTest {
    private static final HardwareCard H100 = CardFiles.hardware("h100");
    private final Kernels kernels = new Kernels(H100, Defaults.noEngine());

    /** 12 x 11 tiles of 256 x 128 are one full wave of the 132 multiprocessors. */
    @Test
    void computesAFullWaveAtTheRateOfTheCard() {
        double m = 12 * 256;
        double n = 11 * 128;
        double k = 8192;
        double compute = 2 * m * n * k / (989e6 * H100.kernels().products().product16());
        double memory = 2 * (n * k + m * (k + n)) / (3350e3 * 0.85);
        double work = Math.cbrt(Math.pow(compute, 3) + Math.pow(memory, 3));
        assertThat(kernels.product(m, n, k, Precision.BF16)).isCloseTo(2.6 + 1.6 + work, within(1e-6));
        assertThat(kernels.product(m + 1, n, k, Precision.BF16)).isGreaterThan(1.05 * (4.2 + work));
    }

    /** The rate of large products is the card's share of the peak, except for the last wave of tiles. */
    @Test
    void reachesTheRateOfTheCardWithLargeProducts() {
        qt().withExamples(200)
                .forAll(integers().between(4096, 20_000), integers().between(4096, 20_000))
                .checkAssert((m, n) -> {
                    double flops = 2.0 * m * n * 16_384;
                    double ideal = flops / (989e6 * H100.kernels().products().product16());
                    assertThat(kernels.product(m, n, 16_384, Precision.BF16)).isBetween(ideal, 1.25 * ideal);
                });
    }

    @Test
    void countsUnpackedWeightsAndScoresInMemory() {
        StepCard engine = CardFiles.engine("llama_cpp");
        Kernels unpacking = new Kernels(CardFiles.hardware("a40"), engine);
        double read = 4096.0 * 4096 * Precision.Q4_K_M.bytes() / (696e3 * 0.82);
        assertThat(unpacking.product(1, 4096, 4096, Precision.Q4_K_M)).isCloseTo(6 + 1.6 + read, within(0.1));
        double plain = unpacking.product(512, 4096, 4096, Precision.BF16);
        double unpacked = 4096.0 * 4096 * (Precision.Q4_K_M.bytes() + 2) / (696e3 * 0.82);
        assertThat(unpacking.product(512, 4096, 4096, Precision.Q4_K_M))
                .isBetween(plain + unpacked, 1.05 * (plain + 6 + unpacked));
        double scores = 32 * 512.0 * 4096;
        double memory = engine.factors().attention().scoreBytes() * scores / (696e3 * 0.82);
        assertThat(unpacking.attentionInMemory(scores, 512, 0)).isBetween(memory, 1.3 * memory);
    }

    @Test
    void isFasterWithHalfPrecisionSumsOnSupportingDevices() {
        Kernels geforce = new Kernels(CardFiles.hardware("rtx_3090"), CardFiles.engine("llama_cpp"));
        double flops = 2.0 * 8192 * 8192 * 8192;
        double values = 8192.0 * 8192 * 2 * 6 / (936e3 * 0.82);
        assertThat(geforce.product(8192, 8192, 8192, Precision.BF16))
                .isBetween(flops / (142e6 * 0.65) + values, 1.05 * (flops / (142e6 * 0.65) + values));
    }

    @Test
    void fillsTilesByRowsAndWidthOfExperts() {
        double weights = 3.0 * 4096 * 1536;
        Kernels.ExpertLoad many = new Kernels.ExpertLoad(128, 0, 1 << 20, 1 << 20);
        Kernels.Expert expert = new Kernels.Expert(0, 1536, weights);
        double wide = kernels.experts(many, expert, Precision.BF16);
        double narrow = 8 * kernels.experts(many, new Kernels.Expert(0, 192, weights / 8), Precision.BF16);
        assertThat(narrow).isBetween(1.2 * wide, 1.4 * wide);
        double few = 64 * kernels.experts(new Kernels.ExpertLoad(128, 0, 1 << 14, 1 << 14), expert, Precision.BF16);
        assertThat(few).isBetween(1.8 * wide, 2.1 * wide);
    }

    @Test
    void takesTheTimeOfTheWeightsWithFewRows() {
        double bf16 = kernels.product(1, 8192, 28_672, Precision.BF16);
        double fp8 = kernels.product(1, 8192, 28_672, Precision.FP8);
        double fp4 = kernels.product(1, 8192, 28_672, Precision.INT4);
        assertThat(bf16).isCloseTo(2.6 + 1.6 + 8192.0 * 28_672 * 2 / (3350e3 * 0.85), within(2.0));
        assertThat(fp8).isBetween(0.5 * bf16, 0.6 * bf16);
        assertThat(fp4).isBetween(0.25 * bf16, 0.4 * bf16);
    }

    @Test
    void usesSixteenBitsForUnsupportedPrecisions() {
        HardwareCard a100 = CardFiles.hardware("a100");
        Kernels ampere = new Kernels(a100, Defaults.noEngine());
        double bf16 = ampere.product(8192, 8192, 8192, Precision.BF16);
        double fp8 = ampere.product(8192, 8192, 8192, Precision.FP8);
        assertThat(fp8 - a100.kernels().products().quantisedProductUs())
                .isCloseTo(bf16 - a100.kernels().products().productUs(), within(0.01 * bf16));
        assertThat(kernels.product(8192, 8192, 8192, Precision.FP8))
                .isLessThan(0.8 * kernels.product(8192, 8192, 8192, Precision.BF16));
        double int8 = ampere.product(8192, 8192, 8192, Precision.INT8);
        assertThat(int8).isBetween(0.5 * bf16, 0.6 * bf16);
    }

    /** MI355X has units for MXFP4 and none for NVFP4; B200 multiplies both, and Hopper neither. */
    @Test
    void usesTheFourBitFormatsOfTheDevice() {
        for (String device : List.of("mi355x", "b200", "h100")) {
            Kernels products = new Kernels(CardFiles.hardware(device), Defaults.noEngine());
            double bf16 = products.product(8192, 8192, 8192, Precision.BF16);
            double fast = 0.6 * bf16;
            assertThat(products.product(8192, 8192, 8192, Precision.MXFP4) < fast)
                    .as(device)
                    .isEqualTo(!device.equals("h100"));
            assertThat(products.product(8192, 8192, 8192, Precision.NVFP4) < fast)
                    .as(device)
                    .isEqualTo(device.equals("b200"));
        }
    }

    @Test
    void isMonotonicInWork() {
        qt().withExamples(300)
                .forAll(
                        integers().between(1, 4096),
                        integers().between(1, 256),
                        integers().between(1, 32_768))
                .checkAssert((m, batch, context) -> {
                    assertThat(kernels.product(m + 128, 4096, 4096, Precision.BF16))
                            .isGreaterThanOrEqualTo(kernels.product(m, 4096, 4096, Precision.BF16) * 0.999);
                    assertThat(kernels.decodeAttention(batch, context + 512.0, 8, 2048, 2, 16_384))
                            .isGreaterThanOrEqualTo(kernels.decodeAttention(batch, context, 8, 2048, 2, 16_384));
                });
    }

    @Test
    void readsTheCacheAtFullBandwidthWithLargeDecodeBatches() {
        double micros = kernels.decodeAttention(128, 4096, 8, 2048, 2, 4 * 32 * 128);
        double bytes = 128.0 * 4096 * 2048 * 2;
        assertThat(micros).isCloseTo(7 + 5.04 + 2.0 * 128 * 8 / 132 + bytes / (3350e3 * 0.95), within(0.01));
    }

    /** With four query heads per key-value head, three of four reads come from L2, at 60 GB/s of a multiprocessor. */
    @Test
    void readsTheCacheForEachQueryHead() {
        Kernels headwise = new Kernels(H100, CardFiles.engine("vllm_v0"));
        double fixed = 7 + 5.04 + 2.0 * 128 * 8 / 132;
        double reads = 4 * 128.0 * 4096 * 2048 * 2 / (132 * 60e3);
        assertThat(headwise.decodeAttention(128, 4096, 8, 2048, 2, 4 * 32 * 128))
                .isCloseTo(fixed + reads, within(0.01));
        assertThat(headwise.decodeAttention(128, 4096, 8, 2048, 2, 4 * 8 * 128))
                .isEqualTo(kernels.decodeAttention(128, 4096, 8, 2048, 2, 4 * 8 * 128));
    }

    /** Times of FlashInfer's products with FP8 blocks on B200 in microseconds, n = 24,576 and k = 7,168 (sglang 13528). */
    @ParameterizedTest
    @CsvSource({"16, 47.1", "64, 69.9", "128, 125.2", "256, 223.5", "1024, 826.2", "2048, 1632.5"})
    void multipliesBlocksInOtherKernels(int m, double micros) {
        Kernels flashInfer = new Kernels(
                CardFiles.hardware("b200"), CardFiles.engine("sglang").multiplyingBlocks(0.155));
        assertThat(flashInfer.product(m, 24_576, 7168, Precision.FP8_BLOCK)).isCloseTo(micros, withinPercentage(25));
    }

    /** Times of DeepSeek's attention on H200 in microseconds: 8,192 tokens of 128 sequences in 16 bits. */
    @ParameterizedTest
    @CsvSource({"1, 288", "16, 290", "64, 298", "128, 498"})
    void computesTilesOfHeadsOfLatentAttention(int heads, double measured) {
        Kernels h200 = new Kernels(CardFiles.hardware("h200"), CardFiles.engine("none"));
        assertThat(h200.latentAttention(128, 8192, heads, 576, 2, 2 * 1088))
                .isCloseTo(measured, within(0.1 * measured));
    }

    /** Times of the absorbed key of DeepSeek in microseconds under vLLM 0.24, in 16 bits. */
    @ParameterizedTest
    @CsvSource({
        "h200, 1, 128, 5.8",
        "h200, 128, 128, 9.9",
        "h200, 4096, 16, 29.5",
        "b200_sxm_180gb, 1, 128, 6.8",
        "b200_sxm_180gb, 4096, 128, 113"
    })
    void computesProductsOfHeads(String device, int tokens, int heads, double measured) {
        Kernels times = new Kernels(CardFiles.hardware(device), CardFiles.engine("none"));
        assertThat(times.headProducts(tokens, 512, 128, heads)).isCloseTo(measured, within(0.4 * measured));
    }

    /** Keys and values in L2 are read at the rate of the multiprocessors. */
    @Test
    void readsSmallCachesFromL2() {
        HardwareCard l40s = CardFiles.hardware("l40s");
        Kernels memory = new Kernels(l40s, Defaults.noEngine());
        Kernels cached = new Kernels(l40s, Defaults.noEngine(), 96e6);
        double bytes = 64.0 * 1024 * 2048 * 2 / 4;
        double difference =
                memory.decodeAttention(16, 1024, 8, 2048, 2, 1) - cached.decodeAttention(16, 1024, 8, 2048, 2, 1);
        assertThat(difference).isCloseTo(bytes / (864e3 * 0.95) - bytes / (142 * 60e3), within(0.1));
        assertThat(cached.decodeAttention(64, 1024, 8, 2048, 2, 1))
                .isEqualTo(memory.decodeAttention(64, 1024, 8, 2048, 2, 1));
    }

    /** Times of prompts of DeepSeek's attention on H200 with 16 heads, in microseconds. */
    @ParameterizedTest
    @CsvSource({
        "1, 4096, 2, 206",
        "16, 1024, 2, 252",
        "64, 128, 2, 90",
        "1, 4096, 1, 216",
        "16, 1024, 1, 327",
        "64, 128, 1, 126"
    })
    void movesQueriesAndKeysOfLatentPrompts(int prompts, int tokens, int cacheBytes, double measured) {
        Kernels h200 = new Kernels(CardFiles.hardware("h200"), CardFiles.engine("none"));
        double pairs = prompts * tokens * (tokens + 1.0) / 2;
        double queries = (double) prompts * tokens;
        assertThat(h200.latentPrefill(pairs, queries, tokens, 16, cacheBytes, 2 * 16 * 320))
                .isCloseTo(measured, within(0.25 * measured));
    }
}
