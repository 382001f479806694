package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SplitMixTest {
    @Test
    void returnsThePublishedSequence() {
        // first outputs of SplitMix64 for seed 1234567, as published with the algorithm
        SplitMix random = new SplitMix(1234567);
        assertThat(Long.toUnsignedString(random.nextLong())).isEqualTo("6457827717110365317");
        assertThat(Long.toUnsignedString(random.nextLong())).isEqualTo("3203168211198807973");
        assertThat(Long.toUnsignedString(random.nextLong())).isEqualTo("9817491932198370423");
    }

    @Test
    void drawsBoundedNumbersUniformly() {
        int[] seen = new int[7];
        SplitMix random = SplitMix.stream(3, 0);
        for (int i = 0; i < 70_000; i++) {
            seen[random.nextInt(7)]++;
        }
        for (int count : seen) {
            assertThat(count).isBetween(9_500, 10_500);
        }
    }

    @Test
    void differsByStream() {
        assertThat(SplitMix.stream(3, 0).nextLong())
                .isNotEqualTo(SplitMix.stream(3, 1).nextLong());
        assertThat(SplitMix.stream(3, 1).nextLong())
                .isNotEqualTo(SplitMix.stream(4, 1).nextLong());
    }
}
