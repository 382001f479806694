package dev.stagesim.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.doubles;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShortestDoubleTextTest {
    @ParameterizedTest
    @CsvSource({
        "1, 1.0",
        "-0.0, -0.0",
        "1e16, 1e+16",
        "9007199254740993, 9007199254740992.0",
        "1e-4, 0.0001",
        "1e-5, 1e-05",
        "1.5e300, 1.5e+300",
        "2e23, 2e+23",
        "5e-324, 5e-324",
        "0.1, 0.1",
        "NaN, nan",
        "-Infinity, -inf",
    })
    void writesTheShortestText(double value, String text) {
        assertThat(ShortestDouble.of(value)).isEqualTo(text);
    }

    @Test
    void readsBackToTheSameDouble() {
        qt().forAll(doubles().any())
                .check(value -> Double.isNaN(value)
                        || Double.isInfinite(value)
                        || Double.parseDouble(ShortestDouble.of(value)) == value);
    }
}
