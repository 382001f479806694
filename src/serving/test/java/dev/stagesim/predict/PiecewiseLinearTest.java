package dev.stagesim.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import java.util.List;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class PiecewiseLinearTest {
    private static final OptionalDouble KEEP_ALL = OptionalDouble.empty();

    private static PiecewiseLinear knots(OptionalDouble threshold, double... pairs) {
        double[] x = new double[pairs.length / 2];
        double[] y = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            x[i] = pairs[2 * i];
            y[i] = pairs[2 * i + 1];
        }
        return PiecewiseLinear.of(x, y, threshold);
    }

    @Test
    void interpolatesBetweenPoints() {
        PiecewiseLinear knots = knots(KEEP_ALL, 1, 1, 3, 5, 11, 9);
        assertThat(knots.at(1)).isEqualTo(1);
        assertThat(knots.at(2)).isEqualTo(3);
        assertThat(knots.at(3)).isEqualTo(5);
        assertThat(knots.at(7)).isEqualTo(7);
    }

    @Test
    void usesTheMedianOfRepeatedSizes() {
        assertThat(knots(KEEP_ALL, 4, 9, 4, 1, 4, 2, 8, 3).at(4)).isEqualTo(2);
        assertThat(knots(KEEP_ALL, 4, 9, 4, 1, 4, 2, 4, 3).at(4)).isEqualTo(2.5);
        assertThat(knots(KEEP_ALL, 1, 7, 4, 9, 4, 1, 4, 2).at(4)).isEqualTo(2);
        assertThat(knots(KEEP_ALL, 1, 7, 4, 9, 4, 1, 4, 2, 4, 3).at(4)).isEqualTo(2.5);
    }

    @Test
    void extrapolatesBelowAndAboveThePoints() {
        PiecewiseLinear knots = knots(KEEP_ALL, 2, 1, 4, 2, 8, 6, 10, 7);
        assertThat(knots.at(1)).isEqualTo(1);
        assertThat(knots.at(16)).isCloseTo(7 + 6 * (7 - 2) / 6.0, within(1e-12));
        assertThat(knots.at(0, 0.5)).isEqualTo(0);
        assertThat(knots.at(1, 0.5)).isEqualTo(0.5);
    }

    @Test
    void keepsAFallingTailConstant() {
        assertThat(knots(KEEP_ALL, 1, 5, 10, 4).at(100)).isEqualTo(4);
    }

    @Test
    void omitsASingleOutlier() {
        double[] glitch = {1, 10, 2, 11, 3, 0.1, 4, 13, 5, 14, 6, 15};
        assertThat(knots(OptionalDouble.of(0.2), glitch).at(3)).isEqualTo(12);
        assertThat(knots(KEEP_ALL, glitch).at(3)).isEqualTo(0.1);
    }

    @Test
    void omitsOutliersAtTheEndsOnlyOnTheWrongSide() {
        assertThat(knots(OptionalDouble.of(0.2), 1, 99, 2, 11, 3, 12, 4, 13, 5, 14)
                        .at(1))
                .isEqualTo(11);
        assertThat(knots(OptionalDouble.of(0.2), 1, 1, 2, 11, 3, 12, 4, 13, 5, 14)
                        .at(1))
                .isEqualTo(1);
        assertThat(knots(OptionalDouble.of(0.2), 1, 10, 2, 11, 3, 12, 4, 13, 5, 1)
                        .at(4.5))
                .isGreaterThan(12.9);
    }

    @Test
    void keepsRisingPoints() {
        qt().forAll(lists().of(integers().between(1, 1000)).ofSizeBetween(1, 30))
                .checkAssert(steps -> {
                    double[] x = new double[steps.size()];
                    double[] y = new double[steps.size()];
                    double sum = 0;
                    for (int i = 0; i < x.length; i++) {
                        x[i] = i + 1;
                        sum += steps.get(i);
                        y[i] = sum;
                    }
                    PiecewiseLinear knots = PiecewiseLinear.of(x, y, OptionalDouble.of(0.05));
                    for (int i = 0; i < x.length; i++) {
                        assertThat(knots.at(x[i])).isEqualTo(y[i]);
                    }
                });
    }

    @Test
    void staysBetweenNeighbouringPoints() {
        qt().forAll(lists().of(integers().between(0, 1000)).ofSizeBetween(2, 20))
                .checkAssert(times -> {
                    TreeMap<Double, Double> points = new TreeMap<>();
                    List<Integer> ms = times;
                    for (int i = 0; i < ms.size(); i++) {
                        points.put((double) (i * i + 1), (double) ms.get(i));
                    }
                    PiecewiseLinear knots = PiecewiseLinear.of(
                            points.keySet().stream()
                                    .mapToDouble(Double::doubleValue)
                                    .toArray(),
                            points.values().stream()
                                    .mapToDouble(Double::doubleValue)
                                    .toArray(),
                            KEEP_ALL);
                    points.forEach((x, y) -> assertThat(knots.at(x)).isEqualTo(y));
                    points.forEach((x, y) -> {
                        if (points.higherEntry(x) != null) {
                            double next = points.higherEntry(x).getValue();
                            assertThat(knots.at((x + points.higherKey(x)) / 2))
                                    .isBetween(Math.min(y, next), Math.max(y, next));
                        }
                    });
                    assertThat(knots.at(1e6)).isNotNegative();
                });
    }
}
