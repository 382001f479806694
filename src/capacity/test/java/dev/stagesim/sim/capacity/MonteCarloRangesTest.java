package dev.stagesim.sim.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.sim.capacity.MonteCarloRanges.Triangle;
import dev.stagesim.stats.Interval;
import org.junit.jupiter.api.Test;

final class MonteCarloRangesTest {
    private static Interval[] ranges(int draws) {
        MonteCarloRanges spread =
                new MonteCarloRanges(0.2, 0, new Triangle(1, 2, 4), new Triangle(3, 3, 3), draws, 0.9, 7);
        return spread.ranges(
                draw -> new double[] {draw.throughput(), draw.usdPerHour(), draw.kgPerKwh(), draw.power()});
    }

    @Test
    void hasTheQuantilesOfTheDistributions() {
        Interval[] ranges = ranges(20_000);
        assertThat(ranges[0].low()).isCloseTo(Math.exp(-1.645 * 0.2), within(0.01));
        assertThat(ranges[0].high()).isCloseTo(Math.exp(1.645 * 0.2), within(0.02));
        // triangle with low 1, mode 2 and high 4: the 5 % quantile is 1 + sqrt(0.05 * 3 * 1)
        assertThat(ranges[1].low()).isCloseTo(1 + Math.sqrt(0.05 * 3), within(0.02));
        assertThat(ranges[1].high()).isCloseTo(4 - Math.sqrt(0.05 * 3 * 2), within(0.02));
        assertThat(ranges[2]).isEqualTo(new Interval(3, 3));
        assertThat(ranges[3]).isEqualTo(new Interval(1, 1));
    }

    @Test
    void returnsEqualRangesForEqualSeeds() {
        assertThat(ranges(500)).isEqualTo(ranges(500));
    }
}
