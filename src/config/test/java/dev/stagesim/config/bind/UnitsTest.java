package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {
    @ParameterizedTest
    @CsvSource({"250ms,250000000", "1.5 s,1500000000", "2m,120000000000", "-3us,-3000", "7ns,7", "1d,86400000000000"})
    void readsDurations(String text, long nanos) {
        assertThat(Units.parseDuration(text)).contains(Duration.ofNanos(nanos));
    }

    @ParameterizedTest
    @ValueSource(strings = {"250", "ms", "1.5ns", "3 weeks", "", "999999999d"})
    void rejectsInvalidDurations(String text) {
        assertThat(Units.parseDuration(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"10MiB,10485760", "1GB,1000000000", "1.5kB,1500", "64B,64", "2 TiB,2199023255552"})
    void readsSizes(String text, long bytes) {
        assertThat(Units.parse(text, "bytes")).contains(BigInteger.valueOf(bytes));
    }

    @ParameterizedTest
    @CsvSource({"10M,bytes", "1.5B,bytes", "1ms,s", "5 tokens,tokens", "5,bytes"})
    void rejectsUnknownUnitsAndFractions(String text, String unit) {
        assertThat(Units.parse(text, unit)).isEmpty();
    }

    @Test
    void formatsInTheLargestWholeUnit() {
        assertThat(Units.render(Duration.ofMillis(1500))).isEqualTo("1500ms");
        assertThat(Units.render(Duration.ofSeconds(60))).isEqualTo("1m");
        assertThat(Units.render(Duration.ZERO)).isEqualTo("0s");
    }
}
