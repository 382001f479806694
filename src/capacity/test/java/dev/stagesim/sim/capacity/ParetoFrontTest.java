package dev.stagesim.sim.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ParetoFrontTest {
    @Test
    void namesOneThatIsBetter() {
        double[][] points = {{1, 5}, {2, 2}, {3, 3}, {2, 2}, {0, 9}};
        assertThat(ParetoFront.dominators(points)).containsExactly(-1, -1, 1, 1, -1);
    }

    @Test
    void agreesWithTheDefinitionOnAnyPoints() {
        qt().forAll(lists().of(integers().between(0, 999)).ofSizeBetween(0, 40)).checkAssert(codes -> {
            double[][] points = points(codes);
            int[] dominators = ParetoFront.dominators(points);
            for (int i = 0; i < points.length; i++) {
                boolean beaten = false;
                for (int j = 0; j < points.length; j++) {
                    beaten |= beats(points[j], points[i]) || (j < i && same(points[j], points[i]));
                }
                assertThat(dominators[i] != ParetoFront.NONE).isEqualTo(beaten);
                if (beaten) {
                    int winner = dominators[i];
                    assertThat(dominators[winner]).isEqualTo(ParetoFront.NONE);
                    assertThat(beats(points[winner], points[i]) || same(points[winner], points[i]))
                            .isTrue();
                }
            }
        });
    }

    private static double[][] points(List<Integer> codes) {
        return codes.stream()
                .map(code -> new double[] {code % 10, code / 10 % 10, code / 100})
                .toArray(double[][]::new);
    }

    private static boolean same(double[] a, double[] b) {
        return java.util.Arrays.equals(a, b);
    }

    private static boolean beats(double[] a, double[] b) {
        boolean less = false;
        for (int k = 0; k < a.length; k++) {
            if (a[k] > b[k]) {
                return false;
            }
            less |= a[k] < b[k];
        }
        return less;
    }
}
