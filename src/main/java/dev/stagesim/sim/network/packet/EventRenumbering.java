package dev.stagesim.sim.network.packet;

/**
 * Pending events that are taken out while what was handled before is gone through again, and the numbers that planned events
 * have then: every event that was planned since some number gets a new one, in the order in which it is planned now.
 */
final class EventRenumbering {
    private static final int WHAT = (1 << EventHeap.BITS) - 1;

    private final EventHeap heap;
    private final Flows flows;
    /** Times and stamps of the events that were taken out. */
    private long[] pending = {};

    private int left;
    private long base;
    /** By number from {@link #base} on: the new one. */
    private long[] renewed = {};

    EventRenumbering(EventHeap heap, Flows flows) {
        this.heap = heap;
        this.flows = flows;
    }

    /** Takes all pending events out; those planned from a number on get new ones. */
    void begin(long first) {
        base = first;
        int planned = (int) (heap.planned() - base);
        if (renewed.length < planned) {
            renewed = new long[Math.max(planned, 2 * renewed.length)];
        }
        left = heap.size();
        pending = heap.drain(pending);
    }

    /** Gives the events from a number on, up to another, their new ones. */
    void plan(long first, long end) {
        for (long number = first; number < end; number++) {
            renewed[(int) (number - base)] = heap.nextStamp() >>> EventHeap.BITS;
        }
    }

    /** The stamp that an event has now. */
    long stamp(long before) {
        long number = before >>> EventHeap.BITS;
        return number < base ? before : renewed[(int) (number - base)] << EventHeap.BITS | ((int) before & WHAT);
    }

    /** Puts the pending events in again with their new stamps, but for those of flights. */
    void putBack() {
        for (int i = 0; i < left; i++) {
            long stamp = pending[2 * i + 1];
            int what = (int) stamp & WHAT;
            int kind = what & ~State.INDEX;
            if (kind == State.TRAIN_DONE || kind == State.LAST_LEG) {
                continue;
            }
            long now = stamp(stamp);
            int index = what & State.INDEX;
            if (kind == State.RETRANSMIT && flows.timer[index] == stamp) {
                flows.timer[index] = now;
            }
            heap.add(pending[2 * i], now);
        }
    }
}
