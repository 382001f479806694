package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StudentTTest {
    @ParameterizedTest
    @ValueSource(doubles = {0.5001, 0.55, 0.6, 0.75, 0.9, 0.975, 0.995, 0.9999})
    void matchesTheClosedFormForOneAndTwoDegreesOfFreedom(double q) {
        double two = (2 * q - 1) * Math.sqrt(2 / (1 - (2 * q - 1) * (2 * q - 1)));
        double one = Math.tan(Math.PI * (q - 0.5));
        assertThat(StudentT.quantile(q, 1)).isCloseTo(one, within(1e-9 * (1 + one * one)));
        assertThat(StudentT.quantile(q, 2)).isCloseTo(two, within(1e-9 * (1 + two * two)));
    }

    @ParameterizedTest
    @CsvSource({
        "0.95, 3, 2.353363",
        "0.975, 5, 2.570582",
        "0.975, 10, 2.228139",
        "0.995, 10, 3.169273",
        "0.975, 30, 2.042272",
        "0.975, 120, 1.979930",
        "0.975, 100000, 1.959988"
    })
    void matchesTheTablesForMoreDegreesOfFreedom(double q, int freedom, double expected) {
        assertThat(StudentT.quantile(q, freedom)).isCloseTo(expected, within(1e-6));
    }

    @Test
    void returnsOneHalfAtZero() {
        assertThat(StudentT.cumulative(0, 7)).isEqualTo(0.5);
        assertThat(StudentT.quantile(0.5, 7)).isCloseTo(0, within(1e-6));
        assertThat(StudentT.cumulative(StudentT.quantile(0.83, 7), 7)).isCloseTo(0.83, within(1e-12));
    }
}
