package dev.stagesim.sim.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VariatesTest {
    /** Reference values printed by numpy's {@code RandomState(42).standard_gamma}. */
    @Test
    void matchesGammaOfNumpyBitForBit() {
        Variates variates = new Variates(Mt19937.numpySeed(42));
        assertThat(gammas(variates, 4.0))
                .containsExactly(
                        4.702413898135869,
                        3.4082319010143296,
                        3.2363247099682337,
                        3.236353637079017,
                        7.598110116324021,
                        5.341253263864357,
                        2.8391589819494323,
                        4.806803038773909,
                        4.149778384854999,
                        1.0877598257923666);
        assertThat(gammas(variates, 1.0 / 9))
                .containsExactly(
                        0.012017750171193395,
                        1.550177461867041e-05,
                        0.0008536570174545579,
                        5.045327922054375e-07,
                        0.008987348296266835,
                        0.011277299294548977,
                        2.086034200460279e-11,
                        1.1873885340222325,
                        2.258113535977798e-05,
                        0.032872769585658976);
    }

    @Test
    void hasTheMeansAndVariancesOfTheDistributions() {
        Variates variates = new Variates(RandomStream.of(9, "variates"));
        int count = 200_000;
        double normal = 0;
        double square = 0;
        double exponential = 0;
        double gamma = 0;
        for (int i = 0; i < count; i++) {
            double x = variates.normal();
            normal += x;
            square += x * x;
            exponential += variates.exponential();
            gamma += variates.gamma(2.5);
        }
        assertThat(normal / count).isCloseTo(0, within(0.01));
        assertThat(square / count).isCloseTo(1, within(0.02));
        assertThat(exponential / count).isCloseTo(1, within(0.01));
        assertThat(gamma / count).isCloseTo(2.5, within(0.02));
    }

    @Test
    void acceptsExtremeShapes() {
        Variates variates = new Variates(RandomStream.of(9, "variates"));
        assertThat(variates.gamma(0)).isZero();
        assertThatThrownBy(() -> variates.gamma(-1)).hasMessageContaining("-1");
        assertThatThrownBy(() -> variates.gamma(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    }

    private static double[] gammas(Variates variates, double shape) {
        return IntStream.range(0, 10).mapToDouble(i -> variates.gamma(shape)).toArray();
    }
}
