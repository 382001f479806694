package dev.stagesim.feature.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.sim.core.RandomStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TransfersTest {
    private static final int SIZE = 120;

    private static double[] ends(
            boolean isFair, double[] links, double[] starts, int[] from, int[] to, double[] bytes) {
        Transfers transfers = new Transfers(isFair, links, starts.length);
        double[] ends = new double[starts.length];
        int next = 0;
        while (next < starts.length || transfers.active() > 0) {
            double start = next < starts.length ? starts[next] : Double.POSITIVE_INFINITY;
            double end = transfers.nextSeconds(start);
            if (start <= end) {
                transfers.start(next, from[next], to[next], bytes[next], start);
                next++;
            } else {
                ends[transfers.end()] = end;
            }
        }
        return ends;
    }

    /** Recomputes every rate at every event by its definition. */
    private static double[] plain(double[] links, double[] starts, int[] from, int[] to, double[] bytes) {
        double[] left = bytes.clone();
        double[] ends = new double[starts.length];
        Arrays.fill(ends, -1);
        int started = 0;
        int ended = 0;
        double now = 0;
        while (ended < starts.length) {
            double[] rates = new double[starts.length];
            double next = started < starts.length ? starts[started] : Double.POSITIVE_INFINITY;
            int first = -1;
            for (int i = 0; i < started; i++) {
                if (ends[i] < 0) {
                    int mine = i;
                    int limit = started;
                    long out = java.util.stream.IntStream.range(0, limit)
                            .filter(k -> ends[k] < 0 && from[k] == from[mine])
                            .count();
                    long in = java.util.stream.IntStream.range(0, limit)
                            .filter(k -> ends[k] < 0 && to[k] == to[mine])
                            .count();
                    rates[i] = Math.min(links[from[i]] / out, links[to[i]] / in);
                    if (now + left[i] / rates[i] < next) {
                        next = now + left[i] / rates[i];
                        first = i;
                    }
                }
            }
            for (int i = 0; i < started; i++) {
                left[i] -= ends[i] < 0 ? rates[i] * (next - now) : 0;
            }
            now = next;
            if (first < 0) {
                started++;
            } else {
                ends[first] = now;
                ended++;
            }
        }
        return ends;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void matchesTheDefinitionOfFairShares(long seed) {
        RandomStream random = RandomStream.of(seed, "transfers");
        double[] links = new double[6];
        Arrays.setAll(links, i -> 1e9 * (1 + random.below(4)));
        double[] starts = new double[SIZE];
        int[] from = new int[SIZE];
        int[] to = new int[SIZE];
        double[] bytes = new double[SIZE];
        for (int i = 0; i < SIZE; i++) {
            starts[i] = (i == 0 ? 0 : starts[i - 1]) + (random.below(3) == 0 ? 0 : random.nextDouble() * 0.1);
            from[i] = (int) random.below(3);
            to[i] = 3 + (int) random.below(3);
            bytes[i] = 1 + random.below(500_000_000);
        }
        double[] ends = ends(true, links, starts, from, to, bytes);
        double[] wanted = plain(links, starts, from, to, bytes);
        for (int i = 0; i < SIZE; i++) {
            assertThat(ends[i]).as("end of %d", i).isCloseTo(wanted[i], within(1e-9));
        }
    }

    @Test
    void halvesTheRateOfTwoTransfers() {
        double[] links = {1e9, 1e9, 1e9};
        double[] ends =
                ends(true, links, new double[] {0, 0.5}, new int[] {0, 0}, new int[] {1, 2}, new double[] {1e9, 1e9});
        assertThat(ends).containsExactly(new double[] {1.5, 2.0}, within(1e-12));
        assertThat(ends(false, links, new double[] {0, 0.5}, new int[] {0, 0}, new int[] {1, 2}, new double[] {1e9, 1e9
                }))
                .containsExactly(new double[] {1.0, 1.5}, within(1e-12));
    }

    /** A request whose transfer was aborted gets another one at the same rate. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void endsATransferThatWasStoppedBefore(boolean isFair) {
        Transfers transfers = new Transfers(isFair, new double[] {10, 10}, 1);
        transfers.start(0, 0, 1, 100, 0);
        transfers.stop(0, 4);
        assertThat(transfers.active()).isZero();
        transfers.start(0, 0, 1, 100, 20);
        assertThat(transfers.nextSeconds(Double.POSITIVE_INFINITY)).isEqualTo(30);
        assertThat(transfers.end()).isZero();
    }
}
