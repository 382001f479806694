package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventQueueTest {
    private record Event(double time, long id) {}

    @Test
    void removesEventsByTimeThenCreation() {
        qt().forAll(lists().of(integers().between(0, 5)).ofSizeBetween(1, 200)).checkAssert(delays -> {
            EventQueue queue = new EventQueue(0);
            List<Event> pending = new ArrayList<>();
            List<Event> taken = new ArrayList<>();
            double now = 0;
            queue.advanceTo(now);
            for (int i = 0; i < delays.size(); i++) {
                double at = now + delays.get(i);
                pending.add(new Event(at, queue.add(at, i)));
                if (i % 3 == 2) {
                    queue.take();
                    now = queue.time();
                    taken.add(new Event(now, queue.id()));
                    Event least = pending.stream()
                            .min(Comparator.comparingDouble(Event::time).thenComparingLong(Event::id))
                            .orElseThrow();
                    assertThat(taken.get(taken.size() - 1)).isEqualTo(least);
                    pending.remove(least);
                }
            }
            assertThat(queue.isEmpty()).isEqualTo(pending.isEmpty());
        });
    }

    @Test
    void ordersExternalEvents() {
        EventQueue queue = new EventQueue(10);
        queue.advanceTo(1);
        assertThat(queue.add(1, 7)).isEqualTo(11);
        assertThat(queue.nextBefore(1, 5)).isFalse();
        assertThat(queue.nextBefore(1, 12)).isTrue();
        assertThat(queue.nextBefore(2, 1)).isTrue();
        queue.take();
        assertThat(queue.payload()).isEqualTo(7);
        queue.add(3, 8);
        assertThat(queue.nextBefore(3, 1)).isFalse();
    }
}
