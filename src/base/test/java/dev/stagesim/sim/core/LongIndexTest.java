package dev.stagesim.sim.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;
import static org.quicktheories.generators.SourceDSL.longs;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LongIndexTest {
    @Test
    void matchesAMapAfterInsertions() {
        qt().forAll(lists().of(longs().between(-50, 50)).ofSizeBetween(0, 200)).checkAssert(keys -> {
            Map<Long, Integer> expected = new HashMap<>();
            LongIndex index = new LongIndex(0);
            for (int i = 0; i < keys.size(); i++) {
                Integer before = expected.put(keys.get(i), i);
                assertThat(index.put(keys.get(i), i)).isEqualTo(before == null ? LongIndex.ABSENT : before);
            }
            assertThat(index.size()).isEqualTo(expected.size());
            for (long key = -60; key < 60; key++) {
                assertThat(index.get(key)).isEqualTo(expected.getOrDefault(key, LongIndex.ABSENT));
            }
        });
    }

    @Test
    void matchesAMapAfterRemovals() {
        qt().forAll(lists().of(longs().between(-40, 40)).ofSizeBetween(0, 300)).checkAssert(keys -> {
            Map<Long, Integer> expected = new HashMap<>();
            LongIndex index = new LongIndex(0);
            for (int i = 0; i < keys.size(); i++) {
                long key = keys.get(i);
                if (i % 3 == 2) {
                    Integer before = expected.remove(key);
                    assertThat(index.remove(key)).isEqualTo(before == null ? LongIndex.ABSENT : before);
                } else {
                    expected.put(key, i);
                    index.put(key, i);
                }
                for (long other = -40; other <= 40; other++) {
                    assertThat(index.get(other)).isEqualTo(expected.getOrDefault(other, LongIndex.ABSENT));
                }
            }
            assertThat(index.size()).isEqualTo(expected.size());
            index.clear();
            assertThat(index.size()).isZero();
            assertThat(index.get(0)).isEqualTo(LongIndex.ABSENT);
        });
    }

    @Test
    void sortsStably() {
        qt().forAll(lists().of(integers().between(0, 9)).ofSizeBetween(0, 300)).checkAssert(values -> {
            int[] order = StableOrder.of(values.size(), (a, b) -> Integer.compare(values.get(a), values.get(b)));
            int[] expected = IntStream.range(0, values.size())
                    .boxed()
                    .sorted((a, b) -> Integer.compare(values.get(a), values.get(b)))
                    .mapToInt(Integer::intValue)
                    .toArray();
            assertThat(order).isEqualTo(expected);
        });
    }
}
