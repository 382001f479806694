package dev.stagesim.sim.systolic.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.systolic.order.RowWiseSparsity.KeptCounts;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class KeptCountsTest {
    @Test
    void repeatsDrawsWhenAnEarlierFilterIsRequested() {
        KeptCounts draws = new KeptCounts(5, 7, 3);
        int[] first = IntStream.range(0, 60_000).map(draws::of).toArray();
        assertThat(IntStream.of(3, 59_999, 0, 30_000).map(draws::of))
                .containsExactly(first[3], first[59_999], first[0], first[30_000]);
        assertThat(new TreeSet<>(IntStream.of(first).boxed().toList())).containsExactly(1, 2, 3, 4, 5, 6, 7);
    }
}
