package dev.stagesim.predict.linear;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.doubles;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class LinearModelTest {
    private static final double[] X =
            IntStream.range(0, 30).mapToDouble(i -> i * 7 % 30).toArray();
    private static final double[] Z =
            IntStream.range(0, 30).mapToDouble(i -> i * i % 11).toArray();

    @Test
    void ordersTermsByDegreeAndFeature() {
        assertThat(new LinearSpec(true, 2, true, false).terms(2))
                .containsExactly(
                        new int[] {0, 0},
                        new int[] {1, 0},
                        new int[] {0, 1},
                        new int[] {2, 0},
                        new int[] {1, 1},
                        new int[] {0, 2});
        assertThat(new LinearSpec(true, 3, false, true).terms(2))
                .containsExactly(new int[] {1, 0}, new int[] {0, 1}, new int[] {1, 1});
        assertThatThrownBy(() -> new LinearSpec(true, 0, true, true)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void recoversAPolynomial() {
        qt().withExamples(50)
                .forAll(
                        doubles().between(-5, 5),
                        doubles().between(-5, 5),
                        doubles().between(-5, 5))
                .checkAssert((a, b, c) -> {
                    double[] y = IntStream.range(0, 30)
                            .mapToDouble(i -> a + b * X[i] + c * X[i] * Z[i])
                            .toArray();
                    for (boolean intercept : new boolean[] {true, false}) {
                        LinearModel model =
                                LinearModel.fit(new double[][] {X, Z}, y, new LinearSpec(intercept, 2, true, false));
                        assertThat(model.at(3, 4)).isCloseTo(a + b * 3 + c * 12, within(1e-9));
                    }
                });
    }

    @Test
    void sharesTheCoefficientOfCollinearTerms() {
        double[][] twice = {{1, 2, 3}, {1, 2, 3}};
        double[] solution = MinimumNormFit.solve(twice, new double[] {2, 4, 6});
        assertThat(solution).containsExactly(new double[] {1, 1}, within(1e-12));
        assertThat(MinimumNormFit.solve(new double[][] {{0, 0}}, new double[] {1, 2}))
                .containsExactly(0.0);
    }

    @Test
    void fitsAllRowsWithMoreTermsThanRows() {
        LinearModel model =
                LinearModel.fit(new double[][] {{1, 2}}, new double[] {3, 7}, new LinearSpec(false, 5, true, false));
        assertThat(model.at(1, 0)).isCloseTo(3, within(1e-9));
        assertThat(model.at(2, 0)).isCloseTo(7, within(1e-9));
    }

    @Test
    void choosesTheFormWithTheBestPrediction() {
        double[] y = IntStream.range(0, 30).mapToDouble(i -> 1 + X[i] * X[i]).toArray();
        LinearSpec line = new LinearSpec(true, 1, true, false);
        LinearSpec square = new LinearSpec(true, 2, true, false);
        assertThat(LinearGridSearch.best(new double[][] {X}, y, List.of(line, square), 5))
                .isEqualTo(square);
        assertThat(LinearGridSearch.best(new double[][] {X}, y, List.of(line), 5))
                .isEqualTo(line);
        double[] zeros = new double[30];
        assertThat(LinearGridSearch.best(new double[][] {X}, zeros, List.of(line, square), 5))
                .as("the first of equal values")
                .isEqualTo(line);
    }
}
