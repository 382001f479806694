package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.doubles;
import static org.quicktheories.generators.SourceDSL.lists;

import org.junit.jupiter.api.Test;

class QuantilesTest {
    /** TTFT of eight measured requests in ns. The expected values are published. */
    private static final double[] TTFT = {23058042, 16598738, 16649246, 17364572, 17935641, 18742861, 16567178, 17203353
    };

    @Test
    void matchesPublishedQuantilesOfEightRequests() {
        assertThat(Quantiles.of(TTFT, 0.5)).isEqualTo(17283962.5);
        assertThat(Quantiles.of(TTFT, 0.9)).isCloseTo(20037415.3, within(1e-6));
        assertThat(Quantiles.of(TTFT, 0.99)).isCloseTo(22755979.33, within(1e-6));
    }

    @Test
    void interpolatesBetweenNeighbours() {
        double[] values = {4, 1, 3, 2};
        assertThat(Quantiles.of(values, 0)).isEqualTo(1);
        assertThat(Quantiles.of(values, 0.25)).isEqualTo(1.75);
        assertThat(Quantiles.of(values, 1)).isEqualTo(4);
        assertThat(values).containsExactly(4, 1, 3, 2);
    }

    @Test
    void rejectsEmptySamplesAndInvalidRanks() {
        assertThatThrownBy(() -> Quantiles.of(new double[0], 0.5)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Quantiles.of(TTFT, 1.01)).hasMessageContaining("1.01");
        assertThatThrownBy(() -> Quantiles.of(TTFT, Double.NaN)).hasMessageContaining("NaN");
    }

    @Test
    void reportsWhichTailsAreReliable() {
        assertThat(Quantiles.reliable(100, 0.9)).isTrue();
        assertThat(Quantiles.reliable(99, 0.9)).isFalse();
        assertThat(Quantiles.reliable(9_999, 0.999)).isFalse();
        assertThat(Quantiles.reliable(10_000, 0.999)).isTrue();
    }

    @Test
    void isMonotonicAndWithinTheSample() {
        qt().forAll(
                        lists().of(doubles().between(-1e9, 1e9)).ofSizeBetween(1, 30),
                        doubles().between(0, 0.99))
                .checkAssert((list, q) -> {
                    double[] values =
                            list.stream().mapToDouble(Double::doubleValue).toArray();
                    Moments moments = Moments.of(values);
                    double low = Quantiles.of(values, q);
                    assertThat(low).isBetween(moments.min(), moments.max());
                    assertThat(Quantiles.of(values, q + 0.01)).isGreaterThanOrEqualTo(low);
                });
    }
}
