package dev.stagesim.sim.serving.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import java.util.List;
import org.junit.jupiter.api.Test;

class SeriesTest {
    @Test
    void keepsAValueUntilTheNextSample() {
        Series series = new Series(false);
        series.add(2, 10);
        series.add(3, 40);
        series.add(7, 0);
        assertThat(series.weightedMean()).isEqualTo((2 * 0 + 1 * 10 + 4 * 40) / 7.0);
        assertThat(series.plainMean()).isEqualTo((0 + 10 + 40 + 0) / 4.0);
        assertThat(series.min()).isZero();
        assertThat(series.max()).isEqualTo(40);
    }

    @Test
    void omitsSamplesThatStartAtZeroInReferenceMode() {
        Series series = new Series(true);
        series.add(2, 10);
        series.add(3, 40);
        series.add(7, 0);
        assertThat(series.weightedMean()).isEqualTo((1 * 10 + 4 * 40) / 5.0);
        Series still = new Series(true);
        still.add(0, 5);
        assertThat(still.weightedMean()).isNaN();
    }

    @Test
    void computesTheMeanAsIntegralOverTime() {
        qt().forAll(lists().of(integers().between(0, 100)).ofSizeBetween(1, 60)).checkAssert(values -> {
            Series series = new Series(false);
            double integral = 0;
            for (int i = 0; i < values.size(); i++) {
                integral += i == 0 ? 0 : values.get(i - 1) * length(values, i);
                series.add(time(values, i), values.get(i));
            }
            double end = time(values, values.size() - 1);
            if (end > 0) {
                assertThat(series.weightedMean()).isEqualTo(integral / end, within(1e-9));
            } else {
                assertThat(series.weightedMean()).isNaN();
            }
        });
    }

    /** The first sample is at 0. The value of each sample determines its duration. */
    private static double time(List<Integer> values, int sample) {
        double time = 0;
        for (int i = 1; i <= sample; i++) {
            time += length(values, i);
        }
        return time;
    }

    private static double length(List<Integer> values, int sample) {
        return values.get(sample) / 8.0;
    }
}
