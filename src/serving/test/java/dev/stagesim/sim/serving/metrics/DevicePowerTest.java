package dev.stagesim.sim.serving.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class DevicePowerTest {
    @Test
    void growsWithTheUtilizationUpToTheBoardPower() {
        assertThat(DevicePower.busy(Double.NaN)).isEqualTo(0.65);
        assertThat(DevicePower.busy(0)).isEqualTo(0.65);
        assertThat(DevicePower.busy(10)).isCloseTo(0.8, within(1e-12));
        assertThat(DevicePower.busy(60)).isEqualTo(1);
    }
}
