package dev.stagesim.sim.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.doubles;

import org.junit.jupiter.api.Test;

class RealMathTest {
    private final RealMath math = new RealMath();

    @Test
    void computesLogWithinAnUlp() {
        qt().forAll(doubles().between(1e-300, 1e300)).check(x -> near(math.log(x), StrictMath.log(x)));
        qt().forAll(doubles().between(0.5, 2.0)).check(x -> near(math.log(x), StrictMath.log(x)));
    }

    @Test
    void computesExpAndPowWithinAnUlp() {
        qt().forAll(doubles().between(-680, 680)).check(x -> near(math.exp(x), StrictMath.exp(x)));
        qt().forAll(doubles().between(1e-6, 1.0), doubles().between(0.1, 40.0))
                .check((x, y) -> near(math.pow(x, y), StrictMath.pow(x, y)));
    }

    /** Cases where the platform's portable logarithm is one unit off the correctly rounded value. */
    @Test
    void roundsLogCorrectly() {
        assertThat(math.log(1 - 0.6394267984578837)).isEqualTo(-1.020060287274801);
        assertThat(math.log(Math.E)).isEqualTo(1.0);
        assertThat(math.log(1.0)).isZero();
    }

    @Test
    void handlesSpecialValues() {
        assertThat(math.log(0)).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(math.log(-1)).isNaN();
        assertThat(math.log(Double.MIN_VALUE)).isCloseTo(-744.44, within(0.01));
        assertThat(math.exp(1000)).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(math.exp(-1000)).isZero();
        assertThat(math.pow(0, 2)).isZero();
        assertThat(math.pow(1e-300, 9)).isZero();
        assertThat(math.pow(2, 0.5)).isEqualTo(Math.sqrt(2));
    }

    private static boolean near(double value, double reference) {
        return Math.abs(value - reference) <= Math.ulp(reference);
    }
}
