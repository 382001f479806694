package dev.stagesim.sim.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.model.CardFiles;
import org.junit.jupiter.api.Test;

final class WindowedAttentionTest {
    @Test
    void everyTokenAttendsToAtMostAWindow() {
        qt().forAll(
                        integers().between(0, 300),
                        integers().between(1, 200),
                        integers().between(1, 400))
                .checkAssert((kv, chunk, window) -> {
                    double pairs = 0;
                    for (int i = 1; i <= chunk; i++) {
                        pairs += Math.min(kv + i, window);
                    }
                    assertThat(new WindowedAttention(window, 1, false).pairs(kv, chunk))
                            .isCloseTo(pairs, within(1e-6));
                });
    }

    @Test
    void everyTokenAttendsToItsChunk() {
        qt().forAll(
                        integers().between(0, 300),
                        integers().between(2, 200),
                        integers().between(1, 400))
                .checkAssert((kv, chunk, size) -> {
                    double pairs = 0;
                    for (int at = kv; at < kv + chunk; at++) {
                        pairs += at % size + 1;
                    }
                    assertThat(new WindowedAttention(size, 1, true).pairs(kv, chunk))
                            .isCloseTo(pairs, within(1e-6));
                });
        assertThat(new WindowedAttention(100, 1, true).pairs(1000, 1)).isEqualTo(50.5);
    }

    @Test
    void patternsGiveShares() {
        assertThat(WindowedAttention.of(CardFiles.model("llama2_7b")).windowedShare())
                .isZero();
        assertThat(WindowedAttention.of(CardFiles.model("gpt_oss_20b")).windowedShare())
                .isEqualTo(0.5);
        assertThat(WindowedAttention.of(CardFiles.model("gemma3_27b")).windowedShare())
                .isEqualTo(5.0 / 6);
        assertThat(WindowedAttention.of(CardFiles.model("mistralai_mistral_7b_v0_1"))
                        .windowedShare())
                .isEqualTo(1);
    }

    @Test
    void halfTheLayersWindowedFormHalfThePairs() {
        WindowedAttention half = new WindowedAttention(100, 0.5, false);
        assertThat(half.pairs(1000, 1)).isEqualTo(0.5 * 100 + 0.5 * 1001);
    }
}
