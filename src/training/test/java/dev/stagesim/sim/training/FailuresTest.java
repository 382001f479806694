package dev.stagesim.sim.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.sim.training.StrategySearch.Objective;
import org.junit.jupiter.api.Test;

final class FailuresTest {
    /** 100 devices with 1,000 h fail every 10 h. With 50 s per checkpoint, the optimal interval is sqrt(2 x 36,000 x 50) s. */
    @Test
    void returnsTheIntervalWithMinimumLoss() {
        Failures failures = new Failures(1000 * 3600, 50, 600);
        double interval = Math.sqrt(2 * 36_000 * 50);
        assertThat(failures.interval(100)).isCloseTo(interval, within(1e-6));
        // first-order loss: the checkpoints, and for each failure half an interval and the restart
        assertThat(failures.goodput(100))
                .isCloseTo(1 - 50 / interval - interval / 72_000 - 600.0 / 36_000, within(0.003));
        assertThat(new Failures(1000 * 3600, 0, 600).goodput(100)).isCloseTo(1 - 600.0 / 36_000, within(0.001));
        assertThat(new Failures(0, 50, 600).goodput(100)).isEqualTo(1);
        assertThat(failures.goodput(100_000)).isBetween(0.0, 0.001).isPositive();
    }

    /** Twice the devices with 0.55 of the step time are better, unless failures are frequent. */
    @Test
    void includesFailuresWhenTokensPerDayAreTheObjective() {
        Objective rare = Objective.withFailures(new Failures(1e9, 50, 600));
        Objective often = Objective.withFailures(new Failures(2e4, 50, 600));
        assertThat(0.55 * rare.weight(64)).isLessThan(rare.weight(32));
        assertThat(0.55 * often.weight(64)).isGreaterThan(often.weight(32));
    }
}
