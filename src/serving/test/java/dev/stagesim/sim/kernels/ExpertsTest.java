package dev.stagesim.sim.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class ExpertsTest {
    private final Experts experts = new Experts(CardFiles.model("deepseek_v3"));

    @Test
    void visitsAllExpertsWithManyTokens() {
        assertThat(experts.touched(1)).isCloseTo(8, within(0.2));
        assertThat(experts.touched(1 << 20)).isCloseTo(256, within(1e-6));
        for (int tokens = 1; tokens < 4096; tokens *= 2) {
            assertThat(experts.touched(2L * tokens)).isGreaterThan(experts.touched(tokens));
        }
        assertThat(new Experts(CardFiles.model("llama3_8b")).touched(7)).isZero();
    }

    @Test
    void takesTheTimeOfTheBusiestDevice() {
        assertThat(experts.touched(8, 1)).isEqualTo(experts.touched(8));
        assertThat(experts.touched(8, 8)).isBetween(1.3 * experts.touched(8) / 8, 3 * experts.touched(8) / 8);
        assertThat(experts.touched(1 << 20, 8)).isCloseTo(32, within(1e-3));
    }

    /** Draws every expert independently with its probability. */
    @Test
    void matchesTheMeanOfRandomDraws() {
        SplittableRandom random = new SplittableRandom(7);
        double sum = 0;
        for (int i = 1; i <= 256; i++) {
            sum += Math.pow(i, -0.8);
        }
        int rounds = 400;
        long touched = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 1; i <= 256; i++) {
                double visit = Math.min(1, 8 * Math.pow(i, -0.8) / sum);
                boolean seen = false;
                for (int token = 0; token < 32; token++) {
                    seen |= random.nextDouble() < visit;
                }
                touched += seen ? 1 : 0;
            }
        }
        assertThat((double) touched / rounds).isCloseTo(experts.touched(32), within(1.5));
    }
}
