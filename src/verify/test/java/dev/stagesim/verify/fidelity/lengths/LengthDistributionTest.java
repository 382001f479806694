package dev.stagesim.verify.fidelity.lengths;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LengthDistributionTest {
    private static double mean(LengthDistribution lengths) {
        RequestLengths spread = new RequestLengths(1000, 1000, lengths, lengths);
        double sum = 0;
        for (int i = 0; i < 20_000; i++) {
            sum += spread.input(i);
        }
        return sum / 20_000;
    }

    @Test
    void keepsTheMeanOfASpread() {
        assertThat(mean(LengthDistribution.even(0.5, 1.5))).isBetween(995.0, 1005.0);
        assertThat(mean(LengthDistribution.HUMP)).isBetween(990.0, 1010.0);
        assertThat(mean(LengthDistribution.LONG_TAIL)).isBetween(930.0, 1010.0);
        assertThat(mean(LengthDistribution.exponential(1.5))).isBetween(990.0, 1010.0);
        assertThat(mean(LengthDistribution.exponential(5))).isBetween(990.0, 1010.0);
    }

    @Test
    void limitsLengthsToTheMaximum() {
        assertThat(LengthDistribution.LONG_TAIL.at(100, 1 - 1e-12)).isEqualTo(1200);
        assertThat(LengthDistribution.exponential(2).at(100, 0.999)).isEqualTo(200);
        assertThat(LengthDistribution.HUMP.at(100, 0)).isEqualTo(1);
    }
}
