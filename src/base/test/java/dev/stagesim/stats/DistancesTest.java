package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.doubles;
import static org.quicktheories.generators.SourceDSL.lists;

import java.util.List;
import org.junit.jupiter.api.Test;

class DistancesTest {
    @Test
    void matchesAWorkedExample() {
        double[] a = {0, 1, 3};
        double[] b = {5, 6, 8};
        assertThat(Distances.kolmogorovSmirnov(a, b)).isEqualTo(1);
        assertThat(Distances.wasserstein1(a, b)).isCloseTo(5, within(1e-12));
    }

    @Test
    void acceptsDifferentSizesAndTies() {
        double[] a = {1, 1, 2, 4};
        double[] b = {1, 4};
        // F_a: 1/2 at 1, 3/4 at 2, 1 at 4; F_b: 1/2 at 1, 1 at 4
        assertThat(Distances.kolmogorovSmirnov(a, b)).isEqualTo(0.25);
        assertThat(Distances.wasserstein1(a, b)).isCloseTo(0.25 * 2, within(1e-12));
    }

    @Test
    void isZeroForEqualSamplesAndSymmetric() {
        qt().forAll(
                        lists().of(doubles().between(-1e3, 1e3)).ofSizeBetween(1, 20),
                        lists().of(doubles().between(-1e3, 1e3)).ofSizeBetween(1, 20),
                        doubles().between(0, 1e3))
                .checkAssert((first, second, shift) -> {
                    double[] a = array(first);
                    double[] b = array(second);
                    assertThat(Distances.kolmogorovSmirnov(a, a)).isZero();
                    assertThat(Distances.wasserstein1(a, a)).isZero();
                    assertThat(Distances.kolmogorovSmirnov(a, b)).isEqualTo(Distances.kolmogorovSmirnov(b, a));
                    assertThat(Distances.wasserstein1(a, b)).isCloseTo(Distances.wasserstein1(b, a), within(1e-9));
                    double[] moved =
                            java.util.Arrays.stream(a).map(x -> x + shift).toArray();
                    assertThat(Distances.wasserstein1(a, moved)).isCloseTo(shift, within(1e-6));
                });
    }

    @Test
    void rejectsEmptySamples() {
        assertThatThrownBy(() -> Distances.wasserstein1(new double[0], new double[1]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Distances.kolmogorovSmirnov(new double[1], new double[0]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void rejectsUnsortedValues() {
        double[] sorted = {1, 2};
        double[] not = {2, 1};
        assertThatThrownBy(() -> Distances.wasserstein1(sorted, not)).hasMessageContaining("not sorted");
        assertThatThrownBy(() -> Distances.kolmogorovSmirnov(not, sorted)).hasMessageContaining("not sorted");
    }

    private static double[] array(List<Double> list) {
        return list.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    }
}
