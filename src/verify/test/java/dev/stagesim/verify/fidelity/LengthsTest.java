package dev.stagesim.verify.fidelity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LengthsTest {
    private static double mean(Lengths lengths) {
        Spread spread = new Spread(1000, 1000, lengths, lengths);
        double sum = 0;
        for (int i = 0; i < 20_000; i++) {
            sum += spread.input(i);
        }
        return sum / 20_000;
    }

    @Test
    void spreadsKeepTheMean() {
        assertThat(mean(Lengths.even(0.5, 1.5))).isBetween(995.0, 1005.0);
        assertThat(mean(Lengths.HUMP)).isBetween(990.0, 1010.0);
        assertThat(mean(Lengths.LONG_TAIL)).isBetween(930.0, 1010.0);
        assertThat(mean(Lengths.exponential(1.5))).isBetween(990.0, 1010.0);
        assertThat(mean(Lengths.exponential(5))).isBetween(990.0, 1010.0);
    }

    @Test
    void lengthsStayBelowTheGreatest() {
        assertThat(Lengths.LONG_TAIL.at(100, 1 - 1e-12)).isEqualTo(1200);
        assertThat(Lengths.exponential(2).at(100, 0.999)).isEqualTo(200);
        assertThat(Lengths.HUMP.at(100, 0)).isEqualTo(1);
    }
}
