package dev.stagesim.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ShortestDoubleTest {
    @ParameterizedTest
    @CsvSource({
        "0.0, 0.0",
        "-0.0, -0.0",
        "1, 1.0",
        "0.1, 0.1",
        "100, 100.0",
        "0.0001, 0.0001",
        "0.00001, 1e-05",
        "1e15, 1000000000000000.0",
        "1e16, 1e+16",
        "1.5e16, 1.5e+16",
        "123456789012345680, 1.2345678901234568e+17",
        "2e-3, 0.002",
        "4.9e-324, 5e-324",
        "1.7976931348623157e308, 1.7976931348623157e+308",
        "2.2250738585072014e-308, 2.2250738585072014e-308",
        "9007199254740993, 9007199254740992.0",
        "2.0E-323, 2e-323",
        "1e23, 1e+23",
        "9.5367431640625e-07, 9.5367431640625e-07",
        "-3.25, -3.25",
        "1e100, 1e+100"
    })
    void printsLikePython(double value, String text) {
        assertThat(ShortestDouble.of(value)).isEqualTo(text);
    }

    @Test
    void printsNonFiniteValues() {
        assertThat(ShortestDouble.of(Double.NaN)).isEqualTo("nan");
        assertThat(ShortestDouble.of(Double.NEGATIVE_INFINITY)).isEqualTo("-inf");
        assertThatThrownBy(() -> ShortestDouble.write(Double.NaN, new byte[30], 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void printsTheShortestAndNearestDecimal() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 20_000; i++) {
            check(Double.longBitsToDouble(random.nextLong()));
            check(random.nextInt(1_000_000) / 1000.0);
            check(random.nextLong(1L << 60) * 0x1p-20);
        }
        for (int exponent = Double.MIN_EXPONENT - 52; exponent <= Double.MAX_EXPONENT; exponent++) {
            double power = Math.scalb(1.0, exponent);
            check(power);
            check(Math.nextUp(power));
            check(Math.nextDown(power));
        }
    }

    private static void check(double value) {
        if (!Double.isFinite(value) || value == 0) {
            return;
        }
        String text = ShortestDouble.of(value);
        assertThat(text.length()).isLessThanOrEqualTo(ShortestDouble.MAX_LENGTH);
        assertThat(Double.parseDouble(text)).isEqualTo(value);
        BigDecimal exact = new BigDecimal(value);
        BigDecimal printed = new BigDecimal(text).stripTrailingZeros();
        int digits = printed.precision();
        for (RoundingMode mode : new RoundingMode[] {RoundingMode.FLOOR, RoundingMode.CEILING}) {
            if (digits > 1) {
                BigDecimal shorter = exact.round(new MathContext(digits - 1, mode));
                assertThat(shorter.doubleValue()).as(text).isNotEqualTo(value);
            }
            BigDecimal other = exact.round(new MathContext(digits, mode));
            if (other.doubleValue() == value) {
                assertThat(printed.subtract(exact).abs())
                        .as(text)
                        .isLessThanOrEqualTo(other.subtract(exact).abs());
            }
        }
    }
}
