package dev.stagesim.verify.fidelity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

final class GapRecorderTest {
    private static final Offset<Double> EXACT = within(1e-9);

    /** Steps of two tokens skip every second multiple of three; the end is always transmitted. */
    @Test
    void skipsTransmissionsOfStepsWithSeveralTokens() {
        GapRecorder gaps = new GapRecorder(3, true);
        gaps.tokenEmitted(100, 0, 1);
        for (int step = 1; step <= 7; step++) {
            gaps.tokenEmitted(100, 2 * step - 1, 1 + step);
            gaps.tokenEmitted(100, 2 * step, 1 + step);
        }
        gaps.tokenEmitted(100, 0, 20); // the next request in the slot
        assertThat(gaps.values()).containsExactly(new double[] {3000, 3000, 1000}, EXACT);
    }

    @Test
    void transmitsEveryIntervalOfSteps() {
        GapRecorder gaps = new GapRecorder(2, false);
        for (int step = 1; step <= 8; step++) {
            gaps.decodeLatencies(0.5, 1, step);
        }
        assertThat(gaps.values()).containsOnly(1000);
    }
}
