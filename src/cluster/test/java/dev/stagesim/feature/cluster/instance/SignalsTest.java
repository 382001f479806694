package dev.stagesim.feature.cluster.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.core.RandomStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the metrics that routers see with a list of all scrapes. */
final class SignalsTest {
    private static final int SIZE = 3;

    @ParameterizedTest
    @CsvSource({"50, 0", "50, 20", "50, 175", "8, 100"})
    void returnsTheLastVisibleScrape(double periodMs, double delayMs) {
        Signals signals = Signals.scraped(SIZE, new Signals.Settings(periodMs, delayMs));
        double[] now = new double[SIZE];
        // Every scrape so far.
        double[][] scrapes = new double[100_000][];
        int taken = 0;
        RandomStream random = RandomStream.of(4, "changes");
        double at = 0;
        int stale = 0;
        for (int i = 0; i < 3000; i++) {
            at += random.below(40) / 1e3;
            for (; taken <= Math.floor(at / (periodMs / 1e3)); taken++) {
                scrapes[taken] = now.clone();
            }
            if (random.below(3) > 0) {
                int one = (int) random.below(SIZE);
                now[one] = random.below(5);
                signals.set(one, Signals.WAITING, at, now[one]);
            } else {
                signals.look(at);
                int last = (int) Math.floor((at - delayMs / 1e3) / (periodMs / 1e3));
                for (int one = 0; one < SIZE; one++) {
                    double seen = last < 0 ? 0 : scrapes[last][one];
                    stale += seen == now[one] ? 0 : 1;
                    assertThat(signals.get(one, Signals.WAITING))
                            .as("at %s", at)
                            .isEqualTo(seen);
                }
            }
        }
        assertThat(stale).isGreaterThan(300);
    }

    @Test
    void returnsCurrentValuesWithoutScrapes() {
        Signals signals = Signals.fresh(SIZE);
        signals.set(1, Signals.KV_USAGE, 0.01, 0.5);
        signals.look(0.01);
        assertThat(signals.get(1, Signals.KV_USAGE)).isEqualTo(0.5);
        assertThat(signals.now()).isEqualTo(0.01);
    }
}
