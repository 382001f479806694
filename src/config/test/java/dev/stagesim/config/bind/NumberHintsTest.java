package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A number that is typed with a unit, a multiplier or as a range has a working form. */
class NumberHintsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | tokens | it has no value: write a number after the =",
                "4k | tokens | write 4000, or 4096 for powers of 1024",
                "0.5K | tokens | write 500, or 512 for powers of 1024",
                "2M | '' | write 2000000, or 2097152 for powers of 1024",
                "1b | '' | write 1000000000",
                "10/s | requests/s | write 10",
                "2.5 rps | requests/s | write 2.5",
                "10req/s | requests/s | write 10",
                "600/min | requests/s | write 10; the number is in requests/s",
                "36 per hour | requests/s | write 0.01; the number is in requests/s",
                "90% | '' | write 0.9 for a share",
                "80GB | GiB | write a number in GiB, without the unit",
                "8 gpus | '' | write a number without a unit",
                "1-8 | devices | 'it takes one number; range(1,9) with -m runs one job for each'",
                "1..10 | requests/s | 'it takes one number; range(1,11) with -m runs one job for each'",
                "many | tokens | ''",
                "1,000 | tokens | ''",
            })
    void givesTheWorkingForm(String typed, String unit, String hint) {
        assertThat(NumberHints.of(typed, unit)).isEqualTo(hint);
    }

    @ParameterizedTest
    @CsvSource({"5s, s, 5", "250ms, s, 0.25", "1.5 h, s, 5400", "2s, ms, 2000", "1us, ms, 0.001"})
    void readsDurationsInTheUnitOfTheKey(String typed, String unit, double value) {
        assertThat(Units.decimal(typed, unit)).contains(value);
    }

    @ParameterizedTest
    @CsvSource({"5, s", "5kg, s", "5s, tokens", "s, s"})
    void readsNoOtherDurations(String typed, String unit) {
        assertThat(Units.decimal(typed, unit)).isEmpty();
    }
}
