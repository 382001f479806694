package dev.stagesim.sim.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class MatcherTest {
    @Test
    void matchesInOrderByWholeKey() {
        Matcher matcher = new Matcher();
        assertThat(matcher.receive(1, 2, 100, 7, 11)).isFalse();
        assertThat(matcher.receive(1, 2, 100, 7, 12)).isFalse();
        assertThat(matcher.arrive(1, 2, 101, 7)).isEqualTo(Matcher.NOTHING);
        assertThat(matcher.arrive(2, 1, 100, 7)).isEqualTo(Matcher.NOTHING);
        assertThat(matcher.arrive(1, 2, 100, 8)).isEqualTo(Matcher.NOTHING);
        assertThat(matcher.arrive(1, 2, 100, 7)).isEqualTo(11);
        assertThat(matcher.receive(1, 2, 100, 8, 13)).isTrue();
        List<Unmatched> left = new ArrayList<>();
        matcher.unmatched(left::add);
        assertThat(left)
                .containsExactly(
                        new Unmatched(Unmatched.Kind.ARRIVED, 2, 1, 100, 7, 1),
                        new Unmatched(Unmatched.Kind.AWAITED, 1, 2, 100, 7, 1),
                        new Unmatched(Unmatched.Kind.ARRIVED, 1, 2, 101, 7, 1));
    }

    @Test
    void matchesMapOfQueues() {
        Random random = new Random(5);
        Matcher matcher = new Matcher();
        Map<String, ArrayDeque<Integer>> model = new TreeMap<>();
        Map<String, Integer> arrived = new TreeMap<>();
        for (int step = 0; step < 60_000; step++) {
            int source = random.nextInt(12);
            int destination = random.nextInt(12);
            long bytes = 1L + random.nextInt(4);
            int tag = random.nextInt(3);
            String key = source + " " + destination + " " + bytes + " " + tag;
            ArrayDeque<Integer> waiting = model.computeIfAbsent(key, unused -> new ArrayDeque<>());
            int unclaimed = arrived.getOrDefault(key, 0);
            if (random.nextBoolean()) {
                int wanted = waiting.isEmpty() ? Matcher.NOTHING : waiting.remove();
                arrived.put(key, wanted == Matcher.NOTHING ? unclaimed + 1 : 0);
                assertThat(matcher.arrive(source, destination, bytes, tag)).isEqualTo(wanted);
            } else {
                assertThat(matcher.receive(source, destination, bytes, tag, step))
                        .isEqualTo(unclaimed > 0);
                arrived.put(key, Math.max(0, unclaimed - 1));
                if (unclaimed == 0) {
                    waiting.add(step);
                }
            }
        }
    }

    @Test
    void dropsKeysThatAreNotUsedAgain() {
        Matcher matcher = new Matcher();
        matcher.receive(1, 2, 100, 0, 7);
        for (int tag = 1; tag < 5_000; tag++) {
            assertThat(matcher.receive(3, 4, 100, tag, tag)).isFalse();
            assertThat(matcher.arrive(3, 4, 100, tag)).isEqualTo(tag);
            assertThat(matcher.arrive(3, 4, 200, tag)).isEqualTo(Matcher.NOTHING);
            assertThat(matcher.receive(3, 4, 200, tag, tag)).isTrue();
        }
        List<Unmatched> left = new ArrayList<>();
        matcher.unmatched(left::add);
        assertThat(left).containsExactly(new Unmatched(Unmatched.Kind.AWAITED, 1, 2, 100, 0, 1));
        assertThat(matcher.arrive(1, 2, 100, 0)).isEqualTo(7);
    }
}
