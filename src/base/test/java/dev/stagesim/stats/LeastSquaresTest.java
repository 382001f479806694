package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LeastSquaresTest {
    private static final double[][] X = {{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}};

    @Test
    void fitsALineWithTheIntervalsOfTextbooks() {
        LeastSquares fit = LeastSquares.fit(X, new double[] {2, 4, 5, 4, 5});
        assertThat(fit.coefficient(0)).isCloseTo(2.2, within(1e-12));
        assertThat(fit.coefficient(1)).isCloseTo(0.6, within(1e-12));
        assertThat(fit.standardError(1)).isCloseTo(Math.sqrt(0.8 / 10), within(1e-12));
        // t of 97.5 % with 3 degrees of freedom is 3.18245
        assertThat(fit.interval(1, 0.95).high()).isCloseTo(0.6 + 3.182446305 * Math.sqrt(0.08), within(1e-6));
        assertThat(fit.predict(new double[] {1, 10})).isCloseTo(8.2, within(1e-12));
    }

    @Test
    void computesTheHeldOutErrorOfARefit() {
        double[] y = {2, 4, 5, 4, 5};
        double sum = 0;
        for (int out = 0; out < y.length; out++) {
            double[][] others = new double[4][];
            double[] values = new double[4];
            int at = 0;
            for (int i = 0; i < y.length; i++) {
                if (i != out) {
                    others[at] = X[i];
                    values[at++] = y[i];
                }
            }
            sum += Math.abs(LeastSquares.fit(others, values).predict(X[out]) - y[out]) / y[out];
        }
        assertThat(LeastSquares.fit(X, y).heldOutError()).isCloseTo(sum / 5, within(1e-9));
    }

    @Test
    void rejectsCollinearColumns() {
        assertThatThrownBy(() -> LeastSquares.fit(new double[][] {{1, 2}, {1, 2}, {1, 2}}, new double[] {1, 2, 3}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("depends");
        assertThatThrownBy(() -> LeastSquares.fit(new double[][] {{1, 2}}, new double[] {1}))
                .hasMessageContaining("1 observations for 2");
    }

    @ParameterizedTest
    @CsvSource({"0.975, 1, 12.7062047", "0.975, 10, 2.2281389", "0.95, 30, 1.6972609", "0.9, 4, 1.5332063"})
    void matchesTablesOfStudentQuantiles(double q, int freedom, double expected) {
        assertThat(StudentT.quantile(q, freedom)).isCloseTo(expected, within(1e-6));
    }
}
