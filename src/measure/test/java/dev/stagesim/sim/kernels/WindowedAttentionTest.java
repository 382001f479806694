package dev.stagesim.sim.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.measure.Defaults;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class WindowedAttentionTest {
    @Test
    void limitsAttentionToAWindow() {
        qt().forAll(
                        integers().between(0, 300),
                        integers().between(1, 200),
                        integers().between(1, 400))
                .checkAssert((kv, chunk, window) -> {
                    double pairs = 0;
                    for (int i = 1; i <= chunk; i++) {
                        pairs += Math.min(kv + i, window);
                    }
                    assertThat(new WindowedAttention.Part(1, window, false, 1, 1).pairs(kv, chunk))
                            .isCloseTo(pairs, within(1e-6));
                });
    }

    @Test
    void limitsAttentionToAChunk() {
        qt().forAll(
                        integers().between(0, 300),
                        integers().between(2, 200),
                        integers().between(1, 400))
                .checkAssert((kv, chunk, size) -> {
                    double pairs = 0;
                    for (int at = kv; at < kv + chunk; at++) {
                        pairs += at % size + 1;
                    }
                    assertThat(new WindowedAttention.Part(1, size, true, 1, 1).pairs(kv, chunk))
                            .isCloseTo(pairs, within(1e-6));
                });
        assertThat(new WindowedAttention.Part(1, 100, true, 1, 1).pairs(1000, 1))
                .isEqualTo(50.5);
    }

    private static double pairs(String model, double kv) {
        return WindowedAttention.of(CardFiles.model(model), 1).pairs(kv, 1);
    }

    @Test
    void averagesLayersBySharesOfThePattern() {
        assertThat(pairs("llama2_7b", 5000)).isEqualTo(5001);
        assertThat(pairs("gpt_oss_20b", 1000)).isCloseTo(0.5 * 128 + 0.5 * 1001, within(1e-9));
        assertThat(pairs("gemma3_27b", 5000)).isCloseTo((52 * 1024 + 10 * 5001) / 62.0, within(1e-9));
        assertThat(pairs("mistralai_mistral_7b_v0_1", 5000)).isEqualTo(4096);
    }

    @Test
    void limitsAttentionOfSparseLayersToSelectedTokens() {
        ModelCard sparse = Defaults.model(Map.of("indexTopk", Optional.of(2048), "sparseLayers", Optional.of(1)));
        assertThat(WindowedAttention.of(sparse, 1).pairs(30_000, 1)).isEqualTo(0.5 * 2048 + 0.5 * 30_001);
        assertThat(WindowedAttention.of(sparse, 1).pairs(100, 1)).isEqualTo(101);
    }

    @Test
    void addsCompressedEntriesToTheWindow() {
        ModelCard compressed = Defaults.model(Map.of(
                "slidingWindow", Optional.of(128), "indexTopk", Optional.of(512), "compressRatios", List.of(4, 128)));
        double four = 512;
        double wide = 12_800 / 128.0;
        assertThat(WindowedAttention.of(compressed, 1).pairs(12_800, 1))
                .isCloseTo(128 + (four + wide) / 2, within(1.0));
    }
}
