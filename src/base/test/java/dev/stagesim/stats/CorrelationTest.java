package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import java.util.List;
import org.junit.jupiter.api.Test;

class CorrelationTest {
    @Test
    void assignsTheMeanRankToTies() {
        assertThat(Correlation.ranks(new double[] {10, 30, 20, 20})).containsExactly(1, 4, 2.5, 2.5);
    }

    @Test
    void computesPearsonOfAWorkedExample() {
        // centred: (-1,0,1) and (-1,1,0): 1 / 2
        assertThat(Correlation.pearson(new double[] {1, 2, 3}, new double[] {1, 3, 2}))
                .hasValueCloseTo(0.5, within(1e-12));
    }

    @Test
    void dependsOnlyOnOrderForRankMeasures() {
        double[] a = {1, 2, 3, 4};
        double[] b = {1, 10, 100, 1000};
        assertThat(Correlation.spearman(a, b)).hasValue(1);
        assertThat(Correlation.kendall(a, b)).hasValue(1);
        assertThat(Correlation.pearson(a, b).getAsDouble()).isLessThan(0.9);
        assertThat(Correlation.kendall(a, new double[] {4, 3, 2, 1})).hasValue(-1);
    }

    @Test
    void matchesCountingOfAllPairsForKendall() {
        qt().forAll(
                        lists().of(integers().between(0, 6)).ofSize(12),
                        lists().of(integers().between(0, 6)).ofSize(12))
                .checkAssert((first, second) -> {
                    double[] a = array(first);
                    double[] b = array(second);
                    double expected = byCounting(a, b);
                    if (Double.isNaN(expected)) {
                        assertThat(Correlation.kendall(a, b)).isEmpty();
                    } else {
                        assertThat(Correlation.kendall(a, b)).hasValueCloseTo(expected, within(1e-12));
                    }
                });
    }

    @Test
    void rejectsPairsOfUnequalLength() {
        double[] two = {1, 2};
        double[] three = {1, 2, 4};
        assertThatThrownBy(() -> Correlation.pearson(two, three)).hasMessage("pairs of 2 and 3");
        assertThatThrownBy(() -> Correlation.spearman(two, three)).hasMessage("pairs of 2 and 3");
        assertThatThrownBy(() -> Correlation.kendall(two, three)).hasMessage("pairs of 2 and 3");
        assertThat(Correlation.pearson(two, new double[] {3, 9})).hasValue(1);
    }

    @Test
    void returnsNothingForAConstantSide() {
        assertThat(Correlation.pearson(new double[] {1, 1}, new double[] {1, 2}))
                .isEmpty();
        assertThat(Correlation.spearman(new double[] {1, 2}, new double[] {3, 3}))
                .isEmpty();
        assertThat(Correlation.pearson(new double[] {1}, new double[] {1})).isEmpty();
        assertThat(Correlation.kendall(new double[] {1}, new double[] {1})).isEmpty();
    }

    private static double byCounting(double[] a, double[] b) {
        double score = 0;
        double usableA = 0;
        double usableB = 0;
        for (int i = 0; i < a.length; i++) {
            for (int j = 0; j < i; j++) {
                double signA = Math.signum(a[i] - a[j]);
                double signB = Math.signum(b[i] - b[j]);
                score += signA * signB;
                usableA += signA * signA;
                usableB += signB * signB;
            }
        }
        return score / Math.sqrt(usableA * usableB);
    }

    private static double[] array(List<Integer> list) {
        return list.stream().mapToDouble(Integer::doubleValue).toArray();
    }
}
