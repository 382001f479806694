package dev.stagesim.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import org.junit.jupiter.api.Test;

class TokenCapTest {
    @Test
    void trimsThePromptFirst() {
        TokenCap cap = capped(90, 20, 100, Overlong.TRIM_PROMPT);
        assertThat(cap.prefill()).isEqualTo(80);
        assertThat(cap.decode()).isEqualTo(20);
        TokenCap far = capped(90, 200, 100, Overlong.TRIM_PROMPT);
        assertThat(far.prefill()).isEqualTo(1);
        assertThat(far.decode()).isEqualTo(99);
    }

    @Test
    void keepsTheRatio() {
        TokenCap cap = capped(300, 100, 100, Overlong.PROPORTIONAL);
        assertThat(cap.prefill()).isEqualTo(75);
        assertThat(cap.decode()).isEqualTo(25);
    }

    @Test
    void satisfiesTheCapWithATokenOnBothSides() {
        qt().forAll(
                        integers().between(1, 1_000_000_000),
                        integers().between(1, 1_000_000_000),
                        integers().between(2, 200_000))
                .check((prefill, decode, max) -> {
                    for (Overlong policy : new Overlong[] {Overlong.TRIM_PROMPT, Overlong.PROPORTIONAL}) {
                        TokenCap cap = capped(prefill, decode, max, policy);
                        long total = (long) cap.prefill() + cap.decode();
                        boolean over = (long) prefill + decode > max;
                        if (cap.prefill() < 1 || cap.decode() < 1 || total != (over ? max : prefill + decode)) {
                            return false;
                        }
                    }
                    return true;
                });
    }

    @Test
    void skipsRequestsAboveTheCap() {
        LengthSource rows = Lengths.rows(new int[] {90, 5, 80}, new int[] {20, 5, 30}, Lengths.inOrder(3), false);
        TokenCap cap = new TokenCap(rows, 100, Overlong.DROP);
        assertThat(cap.next()).isTrue();
        assertThat(cap.row()).isEqualTo(1);
        assertThat(cap.next()).isFalse();
        assertThat(cap.truncation().dropped()).isEqualTo(2);
    }

    @Test
    void rejectsACapBelowTwo() {
        assertThatThrownBy(() -> new TokenCap(Lengths.fixed(1, 1), 1, Overlong.DROP))
                .hasMessageContaining("no room");
        assertThatThrownBy(() -> new TokenCap(Lengths.fixed(1, 1), 2, Overlong.ERROR))
                .hasMessageContaining("refuses");
    }

    private static TokenCap capped(int prefill, int decode, int max, Overlong policy) {
        TokenCap cap = new TokenCap(Lengths.fixed(prefill, decode), max, policy);
        assertThat(cap.next()).isTrue();
        return cap;
    }
}
