package dev.stagesim.sim.network.packet;

import dev.stagesim.sim.core.EventCalendar;
import java.util.Arrays;

/**
 * Pending events in the order of (time, order of planning).
 *
 * <p>An event is two longs: its time, and a stamp whose upper bits count planned events and whose lower {@link #BITS}
 * bits say what to do. A stamp may be taken long before its event is put in, which keeps the order of a run while
 * events that would do nothing stay out. Operations take logarithmic time; nothing is allocated once the array is as
 * long as the most events that were ever pending.
 */
final class EventHeap {
    /** Bits of a stamp that say what the event does. */
    static final int BITS = 26;

    private static final long LAST_COUNT = (1L << (63 - BITS)) - 1;
    private static final long MOST = EventCalendar.MOST;
    private static final int ARITY = 4;

    private long[] entries = new long[1 << 10];
    private int size;
    private long planned;
    /** Whether the first place is empty: the event there was taken, and nothing has filled it. */
    private boolean hasHole;

    int size() {
        return hasHole ? size - 1 : size;
    }

    /** Whether there is an event; then it is in the first place. */
    boolean hasNext() {
        if (hasHole) {
            close();
        }
        return size > 0;
    }

    private void close() {
        hasHole = false;
        int last = 2 * --size;
        if (last > 0) {
            sink(entries[last], entries[last + 1]);
        }
    }

    /** Time of the first event, after {@link #hasNext}. */
    long time() {
        return entries[0];
    }

    /** Stamp of the first event, after {@link #hasNext}. */
    long stamp() {
        return entries[1];
    }

    /** Number of the next event that is planned. */
    long planned() {
        return planned;
    }

    /** Takes all events out, time and stamp by turns and in no order, into {@code into} or a longer array. */
    long[] drain(long[] into) {
        if (hasHole) {
            close();
        }
        long[] all = into.length < 2 * size ? new long[4 * size] : into;
        System.arraycopy(entries, 0, all, 0, 2 * size);
        size = 0;
        return all;
    }

    /**
     * Next place in the order of planning, with nothing in the lower bits.
     *
     * @throws IllegalStateException after 2^37 events
     */
    long nextStamp() {
        if (planned > LAST_COUNT) {
            throw new IllegalStateException("more than 2^37 events in one run");
        }
        return planned++ << BITS;
    }

    /** Plans an event after all that were planned for {@code time} so far. */
    long plan(long time, int what) {
        long stamp = nextStamp() | what;
        add(time, stamp);
        return stamp;
    }

    /** Puts in an event whose place in the order was taken before. */
    void add(long time, long stamp) {
        if (time < 0 || time > MOST) {
            throw EventCalendar.tooLate();
        }
        if (hasHole) {
            hasHole = false;
            sink(time, stamp);
            return;
        }
        int at = 2 * size++;
        if (at == entries.length) {
            entries = Arrays.copyOf(entries, 2 * at);
        }
        long[] heap = entries;
        while (at > 0) {
            int parent = (at / 2 - 1) / ARITY * 2;
            long parentTime = heap[parent];
            if (parentTime < time || (parentTime == time && heap[parent + 1] < stamp)) {
                break;
            }
            heap[at] = parentTime;
            heap[at + 1] = heap[parent + 1];
            at = parent;
        }
        heap[at] = time;
        heap[at + 1] = stamp;
    }

    /** Takes the first event out; the next that is added goes into its place, which saves a way up and down. */
    void removeFirst() {
        hasHole = true;
    }

    /** Fills the hole at the top with the given event or what must come before it. */
    private void sink(long time, long stamp) {
        long[] heap = entries;
        int end = 2 * size;
        int at = 0;
        while (true) {
            int child = ARITY * at + 2;
            if (child >= end) {
                break;
            }
            int first = child;
            long firstTime = heap[child];
            int stop = Math.min(child + 2 * ARITY, end);
            for (int other = child + 2; other < stop; other += 2) {
                long otherTime = heap[other];
                if (otherTime < firstTime || (otherTime == firstTime && heap[other + 1] < heap[first + 1])) {
                    first = other;
                    firstTime = otherTime;
                }
            }
            if (firstTime > time || (firstTime == time && heap[first + 1] > stamp)) {
                break;
            }
            heap[at] = firstTime;
            heap[at + 1] = heap[first + 1];
            at = first;
        }
        heap[at] = time;
        heap[at + 1] = stamp;
    }
}
