package dev.stagesim.sim.network.packet.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.stagesim.sim.core.RandomStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NearEventsTest {
    private record Event(long time, long stamp, int node) {}

    @Test
    void ordersEventsByTimeThenStamp() {
        qt().withExamples(300)
                .forAll(longs().all(), integers().between(1, 300_000))
                .checkAssert((seed, span) -> compare(RandomStream.of(seed, "near"), span));
    }

    /** Schedules and removes events. Some events reserve their stamps long before they are scheduled. */
    private static void compare(RandomStream random, int span) {
        NearEvents near = new NearEvents(span);
        List<Event> pending = new ArrayList<>();
        List<Integer> free = new ArrayList<>(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
        long now = random.below(1L << 40);
        long stamp = 1000;
        long spread = 1 + random.below(Math.min(span, 1000));
        for (int step = 0; step < 200; step++) {
            if (!free.isEmpty() && random.below(3) > 0) {
                long delay = random.below(4) == 0 ? random.below(span) : random.below(spread);
                if (near.reaches(delay)) {
                    int node = free.remove((int) random.below(free.size()));
                    long place = random.below(3) == 0 ? stamp - 500 + step : stamp++;
                    pending.add(new Event(now + delay, place, node));
                    near.plan(now + delay, place, node);
                }
            } else if (!pending.isEmpty()) {
                Event first = first(pending);
                assertThat(near.time(now)).isEqualTo(first.time);
                now = first.time;
                assertThat(near.stamp(now)).isEqualTo(first.stamp);
                assertThat(near.take(now)).isEqualTo(first.node);
                free.add(first.node);
            }
            assertThat(near.size()).isEqualTo(pending.size());
        }
        while (!pending.isEmpty()) {
            Event first = first(pending);
            now = near.time(now);
            assertThat(now).isEqualTo(first.time);
            assertThat(near.take(now)).isEqualTo(first.node);
        }
        assertThat(near.time(now)).isEqualTo(Long.MAX_VALUE);
    }

    private static Event first(List<Event> pending) {
        pending.sort(Comparator.comparingLong(Event::time).thenComparingLong(Event::stamp));
        return pending.remove(0);
    }

    @Test
    void rejectsDelayBeyondRing() {
        NearEvents near = new NearEvents(1L << 40);
        assertThat(near.reaches(1_000_000)).isTrue();
        assertThat(near.reaches(10_000_000)).isFalse();
    }
}
