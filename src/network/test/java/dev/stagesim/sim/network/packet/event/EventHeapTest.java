package dev.stagesim.sim.network.packet.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EventHeapTest {
    @Test
    void ordersEventsByTimeThenScheduling() {
        qt().forAll(lists().of(integers().between(0, 12)).ofSizeBetween(1, 200)).checkAssert(EventHeapTest::compare);
    }

    /** Schedules one event per delay, and removes the first one now and then. */
    private static void compare(List<Integer> delays) {
        EventHeap heap = new EventHeap();
        List<long[]> pending = new ArrayList<>();
        long now = 0;
        for (int delay : delays) {
            long stamp = heap.plan(now + delay, delay);
            pending.add(new long[] {now + delay, stamp});
            if (delay % 3 == 0) {
                now = takeFirst(heap, pending);
            }
        }
        while (heap.hasNext()) {
            takeFirst(heap, pending);
        }
        assertThat(pending).isEmpty();
    }

    private static long takeFirst(EventHeap heap, List<long[]> pending) {
        pending.sort(Comparator.<long[]>comparingLong(event -> event[0]).thenComparingLong(event -> event[1]));
        long[] first = pending.remove(0);
        assertThat(heap.hasNext()).isTrue();
        assertThat(new long[] {heap.time(), heap.stamp()}).containsExactly(first);
        heap.removeFirst();
        assertThat(heap.size()).isEqualTo(pending.size());
        return first[0];
    }

    @Test
    void ordersReservedStampFirst() {
        EventHeap heap = new EventHeap();
        long early = heap.nextStamp() | 1;
        long late = heap.plan(7, 2);
        heap.add(7, early);
        assertThat(heap.hasNext()).isTrue();
        assertThat(heap.stamp()).isEqualTo(early);
        heap.removeFirst();
        assertThat(heap.hasNext()).isTrue();
        assertThat(heap.stamp()).isEqualTo(late);
    }
}
