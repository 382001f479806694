package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NumbersTest {
    @Test
    void formatsFixedDecimalsWithCommas() {
        assertThat(Numbers.fixed(1234567.894, 2)).isEqualTo("1,234,567.89");
        assertThat(Numbers.fixed(-0.5, 0)).isEqualTo("−1");
        assertThat(Numbers.fixed(999.95, 1)).isEqualTo("1,000.0");
        assertThat(Numbers.fixed(Double.NaN, 1)).isEqualTo("–");
        assertThat(Numbers.count(12345)).isEqualTo("12,345");
    }

    @Test
    void formatsSignsOfDifferencesExceptZero() {
        assertThat(Numbers.signed(1.25, 1)).isEqualTo("+1.3");
        assertThat(Numbers.signed(-1.25, 1)).isEqualTo("−1.3");
        assertThat(Numbers.signed(0.001, 1)).isEqualTo("0.0");
        assertThat(Numbers.percent(-86.64)).isEqualTo("−86.6\u00a0%");
        assertThat(Numbers.percent(Double.POSITIVE_INFINITY)).isEqualTo("–");
    }

    @Test
    void formatsSignificantDigits() {
        assertThat(Numbers.significant(13.8236, 3)).isEqualTo("13.8");
        assertThat(Numbers.significant(0.0012345, 2)).isEqualTo("0.0012");
        assertThat(Numbers.significant(12345, 2)).isEqualTo("12,345");
        assertThat(Numbers.significant(0, 3)).isEqualTo("0");
        assertThat(Numbers.times(7.58)).isEqualTo("7.6×");
    }

    @Test
    void formatsBothEndsOfARangeWithTheDecimalsOfTheLargerOne() {
        assertThat(Numbers.range(2.866e-14, 0.106, 4)).isEqualTo("0.0000 to 0.1060");
        assertThat(Numbers.range(0.98765, 1.0123, 4)).isEqualTo("0.988 to 1.012");
    }

    @Test
    void keepsTheTypedFormOfNumbers() {
        assertThat(Numbers.plain(15)).isEqualTo("15");
        assertThat(Numbers.plain(100)).isEqualTo("100");
        assertThat(Numbers.plain(2.5)).isEqualTo("2.5");
        assertThat(Numbers.share(0.75, 1)).isEqualTo("0.8\u00a0%");
    }
}
