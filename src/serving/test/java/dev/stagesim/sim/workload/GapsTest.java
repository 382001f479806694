package dev.stagesim.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.sim.core.Mt19937;
import dev.stagesim.sim.core.RandomStream;
import org.junit.jupiter.api.Test;

class GapsTest {
    private static final int MANY = 200_000;

    @Test
    void startsEvenGapsAtTheGivenTime() {
        InterArrivalSource gaps = Gaps.even(0.5, 2.0);
        assertThat(gaps.next()).isEqualTo(0.5);
        assertThat(gaps.next()).isEqualTo(2.0);
        assertThat(gaps.next()).isEqualTo(2.0);
        assertThat(gaps.standsStill()).isFalse();
        assertThat(Gaps.atOnce().standsStill()).isTrue();
    }

    @Test
    void hasTheRateOfPoissonAndTheBiasOfVidur() {
        assertThat(rate(Gaps.poisson(RandomStream.of(1, "gaps"), 4.0))).isCloseTo(4.0, within(0.04));
        double expected = 4.0 / (1 - Math.exp(-3));
        assertThat(rate(Gaps.vidurPoisson(Mt19937.pythonSeed(1), 4.0))).isCloseTo(expected, within(0.04));
    }

    @Test
    void limitsGapsOfVidurToThreeMeans() {
        InterArrivalSource gaps = Gaps.vidurPoisson(Mt19937.pythonSeed(1), 4.0);
        for (int i = 0; i < 1000; i++) {
            assertThat(gaps.next()).isBetween(0.0, 0.75);
        }
    }

    @Test
    void hasRateAndSpreadOfGamma() {
        for (double cv : new double[] {0.5, 1.0, 3.0}) {
            InterArrivalSource gaps = Gaps.gamma(RandomStream.of(2, "gaps"), 5.0, cv);
            double sum = 0;
            double squares = 0;
            for (int i = 0; i < MANY; i++) {
                double gap = gaps.next();
                sum += gap;
                squares += gap * gap;
            }
            double mean = sum / MANY;
            assertThat(mean).isCloseTo(0.2, within(0.006));
            assertThat(Math.sqrt(squares / MANY - mean * mean) / mean).isCloseTo(cv, within(0.06));
        }
    }

    @Test
    void replaysRecordedTimesFromZero() {
        InterArrivalSource gaps = Gaps.between(new long[] {7_000_000_000L, 7_000_000_000L, 9_500_000_000L}, 2.0);
        assertThat(gaps.next()).isZero();
        assertThat(gaps.next()).isZero();
        assertThat(gaps.next()).isEqualTo(5.0);
        assertThat(gaps.hasNext()).isFalse();
    }

    @Test
    void replaysFromZeroOrOmitsTheFirstInReferenceMode() {
        InterArrivalSource replay = Gaps.vidurReplay(new double[] {1.0, 1.5});
        assertThat(replay.next()).isEqualTo(1.0);
        assertThat(replay.next()).isEqualTo(0.5);
        InterArrivalSource between = Gaps.vidurBetween(new double[] {1.0, 1.5});
        assertThat(between.next()).isEqualTo(0.5);
        assertThat(between.hasNext()).isFalse();
        assertThat(Gaps.vidurBetween(new double[0]).hasNext()).isFalse();
    }

    private static double rate(InterArrivalSource gaps) {
        double sum = 0;
        for (int i = 0; i < MANY; i++) {
            sum += gaps.next();
        }
        return MANY / sum;
    }
}
