package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class BlandAltmanTest {
    @Test
    void computesBiasAndLimits() {
        BlandAltman agreement = BlandAltman.of(new double[] {10, 20, 30}, new double[] {11, 23, 35});
        assertThat(agreement.bias()).isCloseTo(3, within(1e-12));
        assertThat(agreement.sd()).isCloseTo(2, within(1e-12));
        assertThat(agreement.low()).isCloseTo(-0.92, within(1e-12));
        assertThat(agreement.high()).isCloseTo(6.92, within(1e-12));
    }

    @Test
    void rejectsTooFewPairs() {
        assertThatThrownBy(() -> BlandAltman.of(new double[2], new double[3])).hasMessageContaining("2 and 3");
    }
}
