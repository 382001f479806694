package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.stats.Bootstrap.Intervals;
import dev.stagesim.stats.Bootstrap.Statistic;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BootstrapTest {
    private static final List<Statistic> STATISTICS =
            List.of(Statistic.MEAN, new Statistic(0.5), new Statistic(0.9), new Statistic(1));
    private static final double[] A =
            IntStream.range(0, 101).mapToDouble(i -> (i * 37) % 101).toArray();
    private static final double[] B =
            IntStream.range(0, 101).mapToDouble(i -> 2.0 * ((i * 37) % 101) + 5).toArray();

    @Test
    void repeatsIntervalsForEqualSeeds() {
        assertThat(new Bootstrap(200, 0.95, 7).paired(A, B, STATISTICS))
                .isEqualTo(new Bootstrap(200, 0.95, 7).paired(A, B, STATISTICS))
                .isNotEqualTo(new Bootstrap(200, 0.95, 8).paired(A, B, STATISTICS));
    }

    @Test
    void hasTheTextbookWidthForTheMean() {
        Intervals mean = new Bootstrap(4000, 0.95, 1).paired(A, B, STATISTICS).get(0);
        // the mean of 101 values 0..100 is 50 and its standard error sqrt(850/101) = 2.901
        assertThat(mean.a().low()).isCloseTo(50 - 1.96 * 2.901, within(0.5));
        assertThat(mean.a().high()).isCloseTo(50 + 1.96 * 2.901, within(0.5));
        assertThat(110.0).isBetween(mean.percent().low(), mean.percent().high());
    }

    @Test
    void keepsARelationInPairedResamples() {
        double[] shifted = new double[A.length];
        for (int i = 0; i < A.length; i++) {
            shifted[i] = A[i] + 3;
        }
        Intervals paired =
                new Bootstrap(500, 0.95, 3).paired(A, shifted, STATISTICS).get(0);
        Intervals apart =
                new Bootstrap(500, 0.95, 3).independent(A, shifted, STATISTICS).get(0);
        // in each pair of resamples, the difference is 3 and the mean of A between 43 and 57
        assertThat(paired.percent().low()).isBetween(300.0 / 57, 6.0);
        assertThat(paired.percent().high()).isBetween(6.0, 300.0 / 43);
        assertThat(apart.percent().high() - apart.percent().low()).isGreaterThan(10);
    }

    @Test
    void computesQuantilesFromCounts() {
        // a doubled sample under a paired resample has doubled quantiles in every resample
        for (Intervals i : new Bootstrap(300, 0.9, 11).paired(A, doubled(A), STATISTICS)) {
            assertThat(i.b().low()).isCloseTo(2 * i.a().low(), within(1e-9));
            assertThat(i.percent().low()).isCloseTo(100, within(1e-9));
        }
        Intervals most = new Bootstrap(300, 0.9, 11).paired(A, B, STATISTICS).get(3);
        assertThat(most.a().high()).isEqualTo(100);
    }

    @Test
    void returnsOneOfThreeMediansOfTwoValues() {
        Intervals median = new Bootstrap(400, 0.95, 5)
                .paired(new double[] {0, 10}, new double[] {0, 10}, List.of(new Statistic(0.5)))
                .get(0);
        assertThat(median.a()).isEqualTo(new Interval(0, 10));
    }

    @Test
    void returnsAPointIntervalForAConstantSample() {
        Intervals only = new Bootstrap(50, 0.95, 5)
                .independent(new double[] {4, 4, 4}, new double[] {5}, List.of(Statistic.MEAN))
                .get(0);
        assertThat(only.a()).isEqualTo(new Interval(4, 4));
        assertThat(only.percent()).isEqualTo(new Interval(25, 25));
    }

    @Test
    void rejectsInvalidArguments() {
        assertThatThrownBy(() -> new Bootstrap(1, 0.95, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Bootstrap(10, 1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Bootstrap(10, 0.5, 0).paired(A, new double[2], STATISTICS))
                .hasMessageContaining("101 and 2");
    }

    private static double[] doubled(double[] values) {
        double[] twice = values.clone();
        for (int i = 0; i < twice.length; i++) {
            twice[i] *= 2;
        }
        return twice;
    }
}
