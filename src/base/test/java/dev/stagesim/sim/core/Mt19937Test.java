package dev.stagesim.sim.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class Mt19937Test {
    /** Reference values printed by CPython's {@code random} and numpy's {@code RandomState}. */
    @Test
    void returnsPythonsDoublesWithPythonSeeding() {
        Mt19937 random = Mt19937.pythonSeed(42);
        double[] drawn = doubles(random, 10);
        assertThat(drawn)
                .containsExactly(
                        0.6394267984578837,
                        0.025010755222666936,
                        0.27502931836911926,
                        0.22321073814882275,
                        0.7364712141640124,
                        0.6766994874229113,
                        0.8921795677048454,
                        0.08693883262941615,
                        0.4219218196852704,
                        0.029797219438070344);
    }

    @Test
    void usesTheAbsoluteValueOfAPythonSeed() {
        assertThat(Mt19937.pythonSeed(-42).nextDouble()).isEqualTo(0.6394267984578837);
        assertThat(Mt19937.pythonSeed(42L + (1L << 32)).nextDouble()).isNotEqualTo(0.6394267984578837);
    }

    @Test
    void continuesTheSequenceWithRandint() {
        Mt19937 random = Mt19937.pythonSeed(42);
        doubles(random, 10);
        long[] drawn = LongStream.range(0, 20).map(i -> random.between(1, 4)).toArray();
        assertThat(drawn).containsExactly(2, 2, 1, 2, 4, 2, 4, 3, 1, 2, 4, 3, 3, 2, 2, 3, 1, 1, 4, 1);
    }

    @Test
    void returnsNumpysValuesWithNumpySeeding() {
        assertThat(doubles(Mt19937.numpySeed(42), 4))
                .containsExactly(0.3745401188473625, 0.9507143064099162, 0.7319939418114051, 0.5986584841970366);
        assertThat(Mt19937.numpySeed(42).permutation(20))
                .containsExactly(0, 17, 15, 1, 8, 5, 11, 3, 18, 16, 13, 2, 9, 19, 4, 12, 7, 10, 14, 6);
        Mt19937 random = Mt19937.numpySeed(42);
        assertThat(IntStream.range(0, 5).map(i -> random.masked(2147483646)).toArray())
                .containsExactly(1608637542, 1273642419, 1935803228, 787846414, 996406378);
    }

    @Test
    void usesTheFirstWordAsLowBits() {
        Mt19937 words = Mt19937.pythonSeed(7);
        long low = Integer.toUnsignedLong(words.nextInt32());
        long high = Integer.toUnsignedLong(words.nextInt32() >>> 24);
        assertThat(Mt19937.pythonSeed(7).bits(40)).isEqualTo(low | high << 32);
    }

    @Test
    void drawsWithinTheRange() {
        Mt19937 random = Mt19937.pythonSeed(1);
        qt().forAll(longs().between(1, Long.MAX_VALUE)).check(bound -> {
            long drawn = random.below(bound);
            return drawn >= 0 && drawn < bound;
        });
    }

    @Test
    void permutesEveryIndexOnce() {
        int[] order = Mt19937.numpySeed(3).permutation(1000);
        Arrays.sort(order);
        assertThat(order).isEqualTo(IntStream.range(0, 1000).toArray());
        assertThat(Mt19937.numpySeed(3).permutation(0)).isEmpty();
    }

    @Test
    void rejectsTheArgumentsThatPythonRejects() {
        assertThatThrownBy(() -> Mt19937.numpySeed(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Mt19937.numpySeed(1L << 32)).hasMessageContaining("2^32");
        assertThatThrownBy(() -> Mt19937.pythonSeed(1).below(0)).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> Mt19937.pythonSeed(1).bits(64)).hasMessageContaining("63");
    }

    private static double[] doubles(RandomSource random, int count) {
        return IntStream.range(0, count).mapToDouble(i -> random.nextDouble()).toArray();
    }
}
