package dev.stagesim.stage.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.measure.CompareSettings.Tolerance.Direction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A tolerance limits errors in both directions, or with direction=worse only slower values. */
class ToleranceDirectionTest {
    @ParameterizedTest
    @CsvSource({
        "ttft_p50, -99.8, false, true",
        "ttft_p50, 99.8, false, false",
        "ttft_p50, 5, true, true",
        "e2e_p99, -5, true, true",
        "throughput, 40, false, true",
        "throughput, -40, false, false",
        "throughput, NaN, false, false",
        "tpot_p50, NaN, false, false"
    })
    void countsImprovementsOnlyInBothDirections(String name, double percent, boolean either, boolean worse) {
        assertThat(new Verdict.Check(name, 10, percent, Direction.EITHER).holds())
                .isEqualTo(either);
        assertThat(new Verdict.Check(name, 10, percent, Direction.WORSE).holds())
                .isEqualTo(worse);
    }
}
