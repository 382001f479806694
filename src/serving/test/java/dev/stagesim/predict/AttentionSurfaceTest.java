package dev.stagesim.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.function.IntBinaryOperator;
import org.junit.jupiter.api.Test;

final class AttentionSurfaceTest {
    private static final int STEP = 64;

    private static Surface surface(int[] kv, int[] counts, IntBinaryOperator ms) {
        int n = kv.length * counts.length;
        int[] allKv = new int[n];
        int[] allCounts = new int[n];
        double[] times = new double[n];
        int at = 0;
        for (int k : kv) {
            for (int count : counts) {
                allKv[at] = k;
                allCounts[at] = count;
                times[at++] = ms.applyAsInt(k, count);
            }
        }
        return new Surface(allKv, allCounts, times);
    }

    private static AttentionSurface lines(Surface surface, int maxKv, int maxCount) {
        return AttentionSurface.of(surface, STEP, maxKv, maxCount, OptionalDouble.empty());
    }

    @Test
    void returnsEveryMeasuredPoint() {
        int[] kv = {0, 64, 256, 1024};
        int[] counts = {1, 4, 32};
        AttentionSurface lines = lines(surface(kv, counts, (k, c) -> 3 + k * c), 1024, 32);
        for (int k : kv) {
            for (int count : counts) {
                assertThat(lines.at(k, count)).isEqualTo(3 + k * count);
            }
        }
    }

    @Test
    void interpolatesBilinearTimesExactly() {
        AttentionSurface lines = lines(
                surface(new int[] {0, 256, 1024}, new int[] {1, 9, 17}, (k, c) -> 5 + k + 2 * c + k * c), 2048, 40);
        for (int kv = 0; kv <= 2048; kv += STEP) {
            for (int count = 1; count <= 40; count += 3) {
                assertThat(lines.at(kv, count)).isCloseTo(5 + kv + 2 * count + kv * count, within(1e-6));
            }
        }
    }

    @Test
    void returnsTheMinimumBelowTheSmallestCount() {
        AttentionSurface lines = lines(surface(new int[] {0, 64}, new int[] {8, 16}, (k, c) -> c), 64, 16);
        assertThat(lines.at(0, 1)).isEqualTo(8);
    }

    @Test
    void usesTheSlopeOfTheNeighbourForShortLines() {
        int[] kv = {0, 512, 1024, 0};
        int[] counts = {10, 10, 10, 20};
        double[] ms = {1, 1 + 512 * 0.01, 1 + 1024 * 0.01, 4};
        AttentionSurface lines = lines(new Surface(kv, counts, ms), 1024, 20);
        assertThat(lines.at(0, 20)).isEqualTo(4);
        assertThat(lines.at(1024, 20)).isCloseTo(4 + 1024 * 0.02, within(1e-9));
    }

    @Test
    void interpolatesWithASingleLine() {
        AttentionSurface lines = lines(surface(new int[] {0, 64}, new int[] {8}, (k, c) -> 1 + k), 64, 100);
        assertThat(lines.at(64, 1)).isEqualTo(65);
        assertThat(lines.at(64, 100)).isEqualTo(65);
    }

    @Test
    void throwsForLengthsOffTheGrid() {
        AttentionSurface lines = lines(surface(new int[] {0, 64}, new int[] {8}, (k, c) -> 1), 64, 8);
        assertThatThrownBy(() -> lines.at(65, 8)).isInstanceOf(IllegalStateException.class);
    }

    /** Beyond the largest count, the slope is taken from a count of at most half of the largest. */
    @Test
    void extrapolatesFromDistantCountsOnly() {
        int[] counts = {1, 8, 12, 16};
        int[] ms = {5, 8, 20, 16};
        AttentionSurface lines =
                lines(surface(new int[] {0, 64}, counts, (k, c) -> ms[Arrays.binarySearch(counts, c)]), 64, 32);
        assertThat(lines.at(0, 8)).isEqualTo(8);
        assertThat(lines.at(0, 14)).isEqualTo(18);
        assertThat(lines.at(0, 16)).isEqualTo(16);
        assertThat(lines.at(0, 24)).isEqualTo(24);
    }

    @Test
    void keepsFallingTimesConstantBeyondTheLargestCount() {
        AttentionSurface lines =
                lines(surface(new int[] {0, 64}, new int[] {8, 16}, (k, c) -> c == 8 ? 10 : 4), 64, 32);
        assertThat(lines.at(0, 12)).isEqualTo(7);
        assertThat(lines.at(0, 32)).isEqualTo(4);
    }
}
