package dev.stagesim.stage.compare;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoadTest {
    @Test
    void countsRequestsInFlight() {
        Load load = Load.of(new double[] {0, 1, 5}, new double[] {4, 2, 6});
        assertThat(load.time()).containsExactly(0, 0, 1, 2, 4, 5, 6);
        assertThat(load.level()).containsExactly(0, 1, 2, 1, 0, 1, 0);
        assertThat(load.maxInFlight()).isEqualTo(2);
    }

    @Test
    void doesNotCountConsecutiveRequestsAsConcurrent() {
        assertThat(Load.of(new double[] {0, 3}, new double[] {3, 6}).maxInFlight())
                .isEqualTo(1);
    }
}
