package dev.stagesim.sim.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import org.junit.jupiter.api.Test;

class RandomStreamTest {
    @Test
    void repeatsTheSequenceForEqualSeedAndPurpose() {
        RandomStream one = RandomStream.of(5, "arrival");
        RandomStream two = RandomStream.of(5, "arrival");
        for (int i = 0; i < 100; i++) {
            assertThat(one.nextLong()).isEqualTo(two.nextLong());
        }
    }

    /** Freezes the sequence, because a change would change all generated workloads. */
    @Test
    void keepsTheFrozenSequence() {
        assertThat(RandomStream.mix(0x9e3779b97f4a7c15L)).isEqualTo(0xe220a8397b1dcdafL);
        RandomStream stream = RandomStream.of(42, "lengths");
        assertThat(stream.nextLong()).isEqualTo(-2494465627448245363L);
    }

    @Test
    void differsByPurposeSeedAndSplit() {
        RandomStream base = RandomStream.of(5, "arrival");
        long first = base.nextLong();
        assertThat(RandomStream.of(5, "lengths").nextLong()).isNotEqualTo(first);
        assertThat(RandomStream.of(6, "arrival").nextLong()).isNotEqualTo(first);
        assertThat(base.split().nextLong()).isNotEqualTo(base.nextLong());
    }

    @Test
    void drawsDoublesOverTheUnitInterval() {
        RandomStream stream = RandomStream.of(1, "doubles");
        double sum = 0;
        double squares = 0;
        int count = 100_000;
        for (int i = 0; i < count; i++) {
            double x = stream.nextDouble();
            assertThat(x >= 0 && x < 1).isTrue();
            sum += x;
            squares += x * x;
        }
        assertThat(sum / count).isCloseTo(0.5, within(0.005));
        assertThat(squares / count).isCloseTo(1.0 / 3, within(0.005));
    }

    @Test
    void drawsWithinTheRange() {
        RandomStream stream = RandomStream.of(1, "below");
        qt().forAll(longs().between(1, Long.MAX_VALUE)).check(bound -> {
            long drawn = stream.below(bound);
            return drawn >= 0 && drawn < bound;
        });
        assertThatThrownBy(() -> stream.below(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
