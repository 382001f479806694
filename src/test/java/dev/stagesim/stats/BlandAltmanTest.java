package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class BlandAltmanTest {
    @Test
    void biasAndLimits() {
        BlandAltman agreement = BlandAltman.of(new double[] {10, 20, 30}, new double[] {11, 22, 33});
        assertThat(agreement.bias()).isCloseTo(2, within(1e-12));
        assertThat(agreement.sd()).isCloseTo(1, within(1e-12));
        assertThat(agreement.low()).isCloseTo(0.04, within(1e-12));
        assertThat(agreement.high()).isCloseTo(3.96, within(1e-12));
    }

    @Test
    void needsPairs() {
        assertThatThrownBy(() -> BlandAltman.of(new double[2], new double[3])).hasMessageContaining("2 and 3");
    }
}
