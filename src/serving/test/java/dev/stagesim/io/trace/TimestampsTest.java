package dev.stagesim.io.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampsTest {
    @ParameterizedTest
    @CsvSource({
        "2023-11-16 18:17:03.9799600, 2023-11-16T18:17:03.979960000Z",
        "2024-05-10 00:00:00.009930+00:00, 2024-05-10T00:00:00.009930Z",
        "2024-05-10T02:00:00+02:00, 2024-05-10T00:00:00Z",
        "2024-05-10 00:00:00-01, 2024-05-10T01:00:00Z",
        "1970-01-04 12:00:00, 1970-01-04T12:00:00Z",
        "2024-02-29 23:59:59.9999999999Z, 2024-03-01T00:00:00Z"
    })
    void readsDatesToTheNanosecond(String text, String expected) {
        Instant instant = Instant.parse(expected);
        assertThat(Timestamps.nanos(text)).isEqualTo(instant.getEpochSecond() * 1_000_000_000 + instant.getNano());
    }

    @ParameterizedTest
    @CsvSource({
        "1e-999999999, 0",
        "0, 0",
        "5, 5000000000",
        "4.314579, 4314579000",
        "1e-3, 1000000",
        "0.0000000005, 1",
        "0.0000000004, 0"
    })
    void readsSeconds(String text, long expected) {
        assertThat(Timestamps.nanos(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "abc",
                "-1",
                "NaN",
                "2023-13-16 18:17:03",
                "2023-11-16 24:17:03",
                "2023-11-16",
                "2023-11-16 18:17:03 PST",
                "2023-11-16 18:17:0x",
                "1e30",
                "1e999999999",
                "2023-02-30 18:17:03"
            })
    void rejectsOtherTimestamps(String text) {
        assertThatThrownBy(() -> Timestamps.nanos(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void keepsNanosecondsAsSeconds() {
        qt().forAll(longs().between(0, Long.MAX_VALUE))
                .check(ns -> Timestamps.nanos(BigDecimal.valueOf(ns, 9).toPlainString()) == ns);
    }

    @Test
    void rejectsLongTextsWithoutReadingThem() {
        for (String text : List.of("1".repeat(1_000_000), "0." + "3".repeat(1_000_000), "1e" + "9".repeat(1_000_000))) {
            assertThatThrownBy(() -> Timestamps.nanos(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .satisfies(e -> assertThat(e.getMessage().length()).isLessThan(300));
        }
    }

    /** Digits after the tenth cannot change the rounding of the ninth. */
    @Test
    void roundsFractionsOfAnyLength() {
        for (String digits : List.of("1234567894", "1234567895", "9999999995", "0000000004", "5")) {
            for (int zeros : new int[] {0, 1, 50, 100_000}) {
                long expected = new BigDecimal("0." + digits)
                        .movePointRight(9)
                        .setScale(0, RoundingMode.HALF_UP)
                        .longValueExact();
                String tail = "4".repeat(zeros);
                assertThat(Timestamps.nanos("1970-01-01 00:00:00." + digits + (digits.length() < 10 ? "" : tail)))
                        .isEqualTo(expected);
            }
        }
    }
}
