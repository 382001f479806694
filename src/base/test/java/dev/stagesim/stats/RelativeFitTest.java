package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class RelativeFitTest {
    private static final double INF = Double.POSITIVE_INFINITY;

    private static RelativeFit fit(double[][] x, double[] truth, double noise, RelativeFit.Bounds bounds) {
        SplitMix random = new SplitMix(5);
        double[] y = new double[x.length];
        for (int i = 0; i < y.length; i++) {
            for (int k = 0; k < truth.length; k++) {
                y[i] += x[i][k] * truth[k];
            }
            y[i] *= 1 + noise * (random.nextInt(2001) - 1000) / 1000.0;
        }
        return new RelativeFit(x, y, new int[y.length], bounds);
    }

    private static double[][] rows(int n) {
        SplitMix random = new SplitMix(9);
        double[][] x = new double[n][];
        for (int i = 0; i < n; i++) {
            x[i] = new double[] {1 + random.nextInt(50), 1 + random.nextInt(900), 3 + random.nextInt(7)};
        }
        return x;
    }

    private static RelativeFit.Bounds bounds(double[] base, double[] high) {
        return new RelativeFit.Bounds(base, new double[base.length], high);
    }

    @Test
    void fitsTheCoefficientsThatTheDataDetermine() {
        RelativeFit fit = fit(
                rows(60), new double[] {4, 0.2, 1}, 0.01, bounds(new double[] {0, 0, 1}, new double[] {INF, INF, 2}));
        List<Integer> chosen = fit.choose(List.of(0, 1, 2));
        assertThat(chosen).containsExactlyInAnyOrder(0, 1);
        double[] found = fit.solve(chosen);
        assertThat(found[0]).isCloseTo(4, within(0.08));
        assertThat(found[1]).isCloseTo(0.2, within(0.004));
        assertThat(found[2]).isEqualTo(1);
        Interval[] intervals = fit.intervals(chosen, groups(60), 200, 1);
        assertThat(intervals[0].low()).isLessThan(4).isGreaterThan(3.8);
        assertThat(intervals[0].high()).isGreaterThan(4).isLessThan(4.2);
        assertThat(intervals[2]).isEqualTo(new Interval(1, 1));
    }

    private static int[] groups(int n) {
        int[] groups = new int[n];
        for (int i = 0; i < n; i++) {
            groups[i] = i / 2;
        }
        return groups;
    }

    @Test
    void keepsCoefficientsWithinTheirBounds() {
        RelativeFit.Bounds bounds = bounds(new double[] {0, 0, 1}, new double[] {INF, INF, 2});
        double[] low = fit(rows(30), new double[] {-0.2, 0.5, 1.5}, 0, bounds).solve(List.of(0, 1, 2));
        assertThat(low[0]).isZero();
        double[] high = fit(rows(30), new double[] {1, 0.5, 5}, 0, bounds).solve(List.of(0, 1, 2));
        assertThat(high[2]).isEqualTo(2);
    }

    @Test
    void fitsKindsOfDifferentErrorIndependently() {
        double[][] x = rows(40);
        double[] y = new double[40];
        int[] kinds = new int[40];
        for (int i = 0; i < 40; i++) {
            kinds[i] = i % 2;
            y[i] = (3 * x[i][0] + 0.5 * x[i][1]) * (1 + (i % 2 == 0 ? 0 : (i % 4 == 1 ? 0.4 : -0.4)));
        }
        RelativeFit fit = new RelativeFit(x, y, kinds, bounds(new double[] {0, 0, 0}, new double[] {INF, INF, INF}));
        assertThat(fit.solve(List.of(0, 1))[0]).isCloseTo(3, within(0.01));
    }

    @Test
    void skipsCollinearColumns() {
        double[][] x = rows(20);
        for (double[] row : x) {
            row[1] = 2 * row[0];
        }
        RelativeFit fit = fit(x, new double[] {3, 0, 1}, 0, bounds(new double[] {0, 0, 1}, new double[] {INF, INF, 2}));
        double[] found = fit.solve(List.of(0, 1));
        assertThat(found[0]).isCloseTo(3, within(1e-9));
        assertThat(found[1]).isZero();
        assertThat(fit.choose(List.of(0, 1))).containsExactly(0);
    }

    @Test
    void isRobustWithAnOutlier() {
        double[][] x = {{1}, {1}, {1}, {1}, {1}, {1}};
        RelativeFit fit = new RelativeFit(
                x, new double[] {10, 10.01, 9.99, 10.02, 9.98, 30}, new int[6], bounds(new double[] {0}, new double[] {
                    INF
                }));
        assertThat(fit.solve(List.of(0))[0]).isCloseTo(10, within(0.1));
    }
}
