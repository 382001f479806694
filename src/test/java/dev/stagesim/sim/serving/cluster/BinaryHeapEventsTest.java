package dev.stagesim.sim.serving.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BinaryHeapEventsTest {
    private final BinaryHeapEvents events = new BinaryHeapEvents();
    private final StringBuilder order = new StringBuilder();

    private String drained() {
        while (!events.isEmpty()) {
            events.take().action().run();
        }
        return order.toString();
    }

    @Test
    void takesTheEarliestFirst() {
        for (char name : "dbeac".toCharArray()) {
            events.add(name, () -> order.append(name));
        }
        assertThat(drained()).isEqualTo("abcde");
    }

    /** Recorded from Python's heapq with events that compare times alone. */
    @Test
    void takesEqualTimesInTheOrderOfTheHeap() {
        for (char name : "abcdefg".toCharArray()) {
            events.add(1, () -> order.append(name));
        }
        assertThat(drained()).isEqualTo("acfgebd");
    }
}
