package dev.stagesim.feature.cluster.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Compares step functions with a series that receives every change. */
final class PiecewiseConstantSignalsTest {
    private static final int FUNCTIONS = 3;
    private static final int FIRST = 2;

    @RepeatedTest(20)
    void matchesASeriesOfAllChanges(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        BinnedTimeSeries plain = new BinnedTimeSeries(FIRST + FUNCTIONS);
        BinnedTimeSeries series = new BinnedTimeSeries(FIRST + FUNCTIONS);
        PiecewiseConstantSignals functions = new PiecewiseConstantSignals(series, FIRST, FUNCTIONS);
        double[] since = new double[FUNCTIONS];
        double[] value = new double[FUNCTIONS];
        double now = 0;
        for (int i = 0; i < 500; i++) {
            // Several changes at one time, many of them back to the previous value.
            now += random.nextInt(3) == 0 ? random.nextDouble() / 10 : 0;
            int function = random.nextInt(FUNCTIONS);
            plain.add(FIRST + function, since[function], now, value[function]);
            since[function] = now;
            value[function] = random.nextInt(3);
            functions.change(function, now, value[function]);
            assertThat(functions.value(function)).isEqualTo(value[function]);
            if (random.nextInt(50) == 0) {
                functions.settle(now);
            }
        }
        now += random.nextInt(2);
        functions.settle(now);
        functions.settle(now);
        for (int i = 0; i < FUNCTIONS; i++) {
            plain.add(FIRST + i, since[i], now, value[i]);
        }
        assertThat(series.width()).isEqualTo(plain.width());
        for (int function = 0; function < FIRST + FUNCTIONS; function++) {
            for (int bin = 0; bin < Math.max(series.size(), plain.size()); bin++) {
                assertThat(series.mean(function, bin)).isCloseTo(plain.mean(function, bin), within(1e-12));
            }
        }
    }
}
