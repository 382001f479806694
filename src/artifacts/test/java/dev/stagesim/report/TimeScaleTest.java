package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TimeScaleTest {
    @Test
    void choosesUnitAndDecimalsByTheTypicalValue() {
        assertThat(TimeScale.fit(17_283_962.5).withUnit(17_283_962.5)).isEqualTo("17.28\u00a0ms");
        assertThat(TimeScale.fit(17_283_962.5).text(1_967_610)).isEqualTo("1.97");
        assertThat(TimeScale.fit(887_000_000).withUnit(887_000_000)).isEqualTo("887.0\u00a0ms");
        assertThat(TimeScale.fit(1_500).withUnit(1_500)).isEqualTo("1.500\u00a0µs");
        assertThat(TimeScale.fit(12e9).withUnit(12.5e9)).isEqualTo("12.50\u00a0s");
    }

    @Test
    void choosesAUnitForZeroAndNegativeValues() {
        assertThat(TimeScale.fit(0).withUnit(0)).isEqualTo("0\u00a0ms");
        assertThat(TimeScale.fit(-2e6).signed(-2e6)).isEqualTo("−2.000");
    }
}
