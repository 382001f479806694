package dev.stagesim.stage.astrasim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class MatrixTest {
    @Test
    void matchesMapOfCounts() {
        SplittableRandom random = new SplittableRandom(3);
        Matrix matrix = new Matrix();
        Map<Long, long[]> expected = new TreeMap<>();
        for (int i = 0; i < 20_000; i++) {
            int source = random.nextInt(100);
            int destination = random.nextInt(100);
            long bytes = random.nextLong(1, 1L << 40);
            matrix.add(source, destination, 1, bytes);
            long[] sum = expected.computeIfAbsent((long) source << 32 | destination, key -> new long[2]);
            sum[0]++;
            sum[1] += bytes;
        }
        assertThat(matrix.size()).isEqualTo(expected.size());
        Map<Long, long[]> inOrder = new LinkedHashMap<>();
        matrix.forEach((source, destination, messages, bytes) ->
                inOrder.put((long) source << 32 | destination, new long[] {messages, bytes}));
        assertThat(inOrder.keySet()).containsExactlyElementsOf(expected.keySet());
        Map<Long, long[]> found = new TreeMap<>();
        matrix.inAnyOrder((source, destination, messages, bytes) ->
                found.put((long) source << 32 | destination, new long[] {messages, bytes}));
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        expected.forEach((pair, sums) -> {
            assertThat(inOrder.get(pair)).containsExactly(sums);
            assertThat(found.get(pair)).containsExactly(sums);
        });
    }
}
