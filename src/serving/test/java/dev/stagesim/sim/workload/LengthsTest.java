package dev.stagesim.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.doubles;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.sim.core.RandomStream;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LengthsTest {
    private static RandomStream random() {
        return RandomStream.of(11, "lengths");
    }

    @Test
    void repeatsFixedLengthsForever() {
        LengthSource lengths = Lengths.fixed(7, 3);
        assertThat(lengths.next()).isTrue();
        assertThat(lengths.next()).isTrue();
        assertThat(lengths.prefill()).isEqualTo(7);
        assertThat(lengths.decode()).isEqualTo(3);
        assertThat(lengths.row()).isEqualTo(-1);
    }

    @Test
    void splitsLengthsWithATokenOnBothSides() {
        qt().forAll(
                        integers().between(2, 100_000),
                        integers().between(0, 100_000),
                        doubles().between(0.001, 1000))
                .check((least, range, ratio) -> {
                    LengthSource lengths = Lengths.uniform(random(), least, least + range, ratio);
                    lengths.next();
                    int total = lengths.prefill() + lengths.decode();
                    return total >= least && total <= least + range && lengths.prefill() >= 1 && lengths.decode() >= 1;
                });
    }

    @Test
    void drawsBothEndsOfUniform() {
        LengthSource lengths = Lengths.uniform(random(), 10, 13, 1);
        int[] counts = new int[4];
        for (int i = 0; i < 40_000; i++) {
            lengths.next();
            counts[lengths.prefill() + lengths.decode() - 10]++;
        }
        for (int count : counts) {
            assertThat(count).isBetween(9_500, 10_500);
        }
    }

    @Test
    void drawsZipfFrequenciesForAnyTheta() {
        for (double theta : new double[] {0, 0.6, 1.0, 2.0}) {
            LengthSource lengths = Lengths.zipf(random(), 100, 103, theta, 1, false);
            double[] counts = new double[4];
            for (int i = 0; i < 100_000; i++) {
                lengths.next();
                counts[lengths.prefill() + lengths.decode() - 100]++;
            }
            double weights = IntStream.rangeClosed(1, 4)
                    .mapToDouble(i -> Math.pow(i, -theta))
                    .sum();
            for (int i = 0; i < 4; i++) {
                assertThat(counts[i] / 100_000).isCloseTo(Math.pow(i + 1, -theta) / weights, within(0.01));
            }
        }
    }

    @Test
    void permutesFrequenciesByScrambling() {
        int[] plain = histogram(Lengths.zipf(random(), 10, 59, 1.2, 1, false));
        int[] scattered = histogram(Lengths.zipf(random(), 10, 59, 1.2, 1, true));
        assertThat(scattered).isNotEqualTo(plain);
        Arrays.sort(plain);
        Arrays.sort(scattered);
        assertThat((double) scattered[49]).isCloseTo(plain[49], within(plain[49] * 0.05));
        assertThat(histogram(Lengths.zipf(random(), 10, 59, 1.2, 1, true))).isNotEqualTo(plain);
    }

    private static int[] histogram(LengthSource lengths) {
        int[] counts = new int[50];
        for (int i = 0; i < 50_000; i++) {
            lengths.next();
            counts[lengths.prefill() + lengths.decode() - 10]++;
        }
        return counts;
    }

    @Test
    void keepsMedianAndBoundsOfLogNormal() {
        Lengths.LogNormal shape = new Lengths.LogNormal(200, 1.0, 10, 2000);
        LengthSource lengths = Lengths.logNormal(random(), shape, new Lengths.LogNormal(50, 0, 1, 100));
        int[] drawn = new int[20_001];
        for (int i = 0; i < drawn.length; i++) {
            lengths.next();
            drawn[i] = lengths.prefill();
            assertThat(lengths.decode()).isEqualTo(50);
        }
        Arrays.sort(drawn);
        assertThat((double) drawn[10_000]).isCloseTo(200, within(8.0));
        assertThat(drawn[0]).isGreaterThanOrEqualTo(10);
        assertThat(drawn[20_000]).isEqualTo(2000);
    }

    @Test
    void replaysRowsOnceOrRepeatedly() {
        int[] prefill = {1, 2, 3};
        int[] decode = {4, 5, 6};
        LengthSource once = Lengths.rows(prefill, decode, new int[] {2, 0}, false);
        assertThat(once.next()).isTrue();
        assertThat(once.row()).isEqualTo(2);
        assertThat(once.decode()).isEqualTo(6);
        assertThat(once.next()).isTrue();
        assertThat(once.next()).isFalse();
        LengthSource again = Lengths.rows(prefill, decode, new int[] {2, 0}, true);
        assertThat(again.next()).isTrue();
        assertThat(again.next()).isTrue();
        assertThat(again.next()).isTrue();
        assertThat(again.row()).isEqualTo(2);
        assertThat(Lengths.rows(prefill, decode, new int[0], true).next()).isFalse();
    }

    @Test
    void drawsRowsOfTheTable() {
        LengthSource lengths = Lengths.drawnRows(random(), new int[] {1, 2}, new int[] {10, 20});
        for (int i = 0; i < 100; i++) {
            assertThat(lengths.next()).isTrue();
            assertThat(lengths.decode()).isEqualTo(lengths.prefill() * 10);
        }
        assertThat(Lengths.drawnRows(random(), new int[0], new int[0]).next()).isFalse();
    }

    @Test
    void keepsEveryIndexWhenShuffled() {
        int[] order = Lengths.shuffled(random(), 500);
        assertThat(order).isNotEqualTo(Lengths.inOrder(500));
        Arrays.sort(order);
        assertThat(order).isEqualTo(Lengths.inOrder(500));
    }
}
