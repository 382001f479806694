package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class MomentsTest {
    @Test
    void matchesAWorkedExample() {
        Moments m = Moments.of(new double[] {2, 4, 4, 4, 5, 5, 7, 9});
        assertThat(m.n()).isEqualTo(8);
        assertThat(m.mean()).isEqualTo(5);
        assertThat(m.sd()).isCloseTo(Math.sqrt(32.0 / 7), within(1e-12));
        assertThat(m.min()).isEqualTo(2);
        assertThat(m.max()).isEqualTo(9);
        assertThat(m.cv()).isCloseTo(Math.sqrt(32.0 / 7) / 5, within(1e-12));
    }

    @Test
    void returnsNoSpreadOfOneValue() {
        assertThat(Moments.of(new double[] {3})).isEqualTo(new Moments(1, 3, 0, 3, 3));
    }

    @Test
    void sumsWithoutLosingSmallTerms() {
        double[] values = new double[10_001];
        Arrays.fill(values, 1);
        values[0] = 1e16;
        assertThat(Moments.mean(values) * 10_001).isEqualTo(1e16 + 10_000);
    }

    @Test
    void rejectsAnEmptySample() {
        assertThatThrownBy(() -> Moments.of(new double[0])).isInstanceOf(IllegalArgumentException.class);
    }
}
