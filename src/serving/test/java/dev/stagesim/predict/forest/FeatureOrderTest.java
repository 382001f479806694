package dev.stagesim.predict.forest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class FeatureOrderTest {
    @Test
    void returnsTheFirstValueOfXorshift() {
        assertThat(new FeatureOrder(1).between(0, Integer.MAX_VALUE)).isEqualTo(270369);
        assertThat(new FeatureOrder(0).between(0, Integer.MAX_VALUE))
                .as("a zero state counts as one")
                .isEqualTo(270369);
        assertThat(new FeatureOrder(1).between(3, 5)).isEqualTo(3 + 270369 % 2);
    }
}
