package dev.stagesim.sim.network.packet.fastpath;

import dev.stagesim.sim.network.packet.event.EventHeap;
import dev.stagesim.sim.network.packet.state.Flows;
import dev.stagesim.sim.network.packet.state.State;

/**
 * Removes pending events while handled events are replayed, and renumbers them: every event scheduled since a given
 * number gets a new stamp in the order of the replay.
 */
final class EventRenumbering {
    private static final int WHAT = (1 << EventHeap.BITS) - 1;

    private final EventHeap heap;
    private final Flows flows;
    /** Times and stamps of the removed events. */
    private long[] pending = {};

    private int left;
    private long base;
    /** New number by old number, from {@link #base}. */
    private long[] renewed = {};

    EventRenumbering(EventHeap heap, Flows flows) {
        this.heap = heap;
        this.flows = flows;
    }

    /** Removes all pending events. Events scheduled from a number onwards get new stamps. */
    void begin(long first) {
        base = first;
        int planned = (int) (heap.planned() - base);
        if (renewed.length < planned) {
            renewed = new long[Math.max(planned, 2 * renewed.length)];
        }
        left = heap.size();
        pending = heap.drain(pending);
    }

    /** Renumbers the events of a range. */
    void plan(long first, long end) {
        for (long number = first; number < end; number++) {
            renewed[(int) (number - base)] = heap.nextStamp() >>> EventHeap.BITS;
        }
    }

    /** Current stamp of an event. */
    long stamp(long before) {
        long number = before >>> EventHeap.BITS;
        return number < base ? before : renewed[(int) (number - base)] << EventHeap.BITS | ((int) before & WHAT);
    }

    /** Restores the removed events with their new stamps, except the events of trains. */
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
