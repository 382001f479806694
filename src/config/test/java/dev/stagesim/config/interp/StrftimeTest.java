package dev.stagesim.config.interp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrftimeTest {
    private static final ZonedDateTime TIME = ZonedDateTime.of(2026, 1, 2, 15, 4, 5, 6_007_000, ZoneOffset.ofHours(2));

    @ParameterizedTest
    @CsvSource({
        "%Y-%m-%d,2026-01-02",
        "%y%j,26002",
        "%I:%M %p,03:04 PM",
        "%H%M%S.%f,150405.006007",
        "%a %A %b %B,Fri Friday Jan January",
        "%F %T %z,2026-01-02 15:04:05 +0200",
        "%s,1767359045",
        "100%%,100%",
        "plain,plain"
    })
    void formatsDirectives(String pattern, String expected) {
        assertThat(Strftime.format(pattern, TIME)).isEqualTo(expected);
    }

    @Test
    void rejectsUnknownDirectives() {
        assertThatThrownBy(() -> Strftime.format("%Q", TIME))
                .isInstanceOf(InterpolationException.class)
                .hasMessageContaining("%Q");
        assertThatThrownBy(() -> Strftime.format("x%", TIME)).isInstanceOf(InterpolationException.class);
    }
}
