package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PairedErrorsTest {
    @Test
    void computesTheFormulas() {
        PairedErrors e = PairedErrors.of(new double[] {10, 20, 40}, new double[] {11, 15, 40});
        assertThat(e.n()).isEqualTo(3);
        assertThat(e.mape()).isCloseTo((10 + 25 + 0) / 3.0, within(1e-12));
        assertThat(e.medianApe()).isCloseTo(10, within(1e-12));
        assertThat(e.mpe()).isCloseTo((10 - 25 + 0) / 3.0, within(1e-12));
        assertThat(e.smape()).isCloseTo(100 * (1 / 10.5 + 5 / 17.5) / 3, within(1e-12));
        assertThat(e.mae()).isCloseTo(2, within(1e-12));
        assertThat(e.rmse()).isCloseTo(Math.sqrt(26 / 3.0), within(1e-12));
    }

    @Test
    void omitsZeroActualsOnlyFromPercentages() {
        PairedErrors e = PairedErrors.of(new double[] {0, 0, 4}, new double[] {0, 2, 5});
        assertThat(e.nonZero()).isEqualTo(1);
        assertThat(e.mape()).isEqualTo(25);
        assertThat(e.smape()).isCloseTo((0 + 200 + 100 / 4.5) / 3, within(1e-12));
        assertThat(PairedErrors.of(new double[] {0}, new double[] {1}).mape()).isNaN();
    }

    @Test
    void rejectsEmptyPairs() {
        assertThatThrownBy(() -> PairedErrors.of(new double[0], new double[0]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PairedErrors.of(new double[1], new double[2]))
                .hasMessageContaining("1 actual and 2 predicted");
    }
}
