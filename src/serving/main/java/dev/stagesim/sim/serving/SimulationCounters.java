package dev.stagesim.sim.serving;

import dev.stagesim.sim.serving.replica.EventType;
import java.util.Map;

/** Counts the events, arrivals, batches and restarts of a simulation. */
final class SimulationCounters {
    private final long[] events = new long[EventType.values().length];
    long batches;
    long tokens;
    long restarts;
    int arrived;

    void count(EventType type, int count) {
        events[type.code()] += count;
    }

    /** Counts the events of {@code count} steps of {@code size} requests that ran inline. */
    void countSteady(int count, int size) {
        count(EventType.BATCH_STAGE_END, count);
        count(EventType.REPLICA_STAGE_SCHEDULE, 2 * count);
        count(EventType.BATCH_END, count);
        count(EventType.REPLICA_SCHEDULE, count);
        count(EventType.BATCH_STAGE_ARRIVAL, count);
        batches += count;
        tokens += (long) count * size;
    }

    Map<EventType, Long> events() {
        return EventType.counts(events);
    }
}
