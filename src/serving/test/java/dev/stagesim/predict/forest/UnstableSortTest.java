package dev.stagesim.predict.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class UnstableSortTest {
    private static long[] entries(float... values) {
        return IntStream.range(0, values.length)
                .mapToLong(i -> UnstableSort.entry(values[i], i))
                .toArray();
    }

    private static int[] rows(long[] entries) {
        return LongStream.of(entries).mapToInt(UnstableSort::row).toArray();
    }

    @Test
    void sortsAnyValues() {
        qt().forAll(lists().of(integers().between(0, 40)).ofSizeBetween(0, 300)).checkAssert(values -> {
            float[] floats = new float[values.size()];
            for (int i = 0; i < floats.length; i++) {
                floats[i] = values.get(i) / 3f;
            }
            long[] entries = entries(floats);
            UnstableSort.sort(entries, 0, entries.length);
            for (int i = 0; i < entries.length; i++) {
                assertThat(UnstableSort.value(entries[i])).isEqualTo(floats[UnstableSort.row(entries[i])]);
                assertThat(i == 0 || UnstableSort.value(entries[i - 1]) <= UnstableSort.value(entries[i]))
                        .isTrue();
            }
            assertThat(Arrays.stream(rows(entries)).distinct().count()).isEqualTo(floats.length);
        });
    }

    @Test
    void sortsOnlyTheRange() {
        long[] entries = entries(9, 3, 2, 1, 0);
        UnstableSort.sort(entries, 1, 4);
        assertThat(rows(entries)).containsExactly(0, 3, 2, 1, 4);
    }

    @Test
    void keepsThePartitionOrderOfEqualValues() {
        // Pivot 2 leaves rows 1 3 4 | 0 2; then pivot 1 exchanges rows 1 and 4.
        long[] entries = entries(2, 1, 2, 1, 0);
        UnstableSort.sort(entries, 0, 5);
        assertThat(rows(entries)).containsExactly(4, 3, 1, 0, 2);
    }

    @Test
    void sortsInputThatDefeatsThePivot() {
        float[] values = new float[4096];
        for (int i = 0; i < values.length; i++) {
            values[i] = i % 2 == 0 ? i : values.length - i;
        }
        for (int round = 0; round < 12; round++) {
            // Reverses the effect of a sort, so that the next medians are poor pivots.
            long[] entries = entries(values);
            UnstableSort.sort(entries, 0, entries.length);
            assertThat(LongStream.of(entries).mapToObj(UnstableSort::value)).isSorted();
            float[] next = new float[values.length];
            for (int i = 0; i < next.length; i++) {
                next[i] = UnstableSort.value(entries[i < next.length / 2 ? 2 * i : 2 * (next.length - 1 - i) + 1]);
            }
            values = next;
        }
    }
}
