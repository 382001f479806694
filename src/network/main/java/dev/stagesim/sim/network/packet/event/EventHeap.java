package dev.stagesim.sim.network.packet.event;

import dev.stagesim.sim.core.EventCalendar;
import java.util.Arrays;

/**
 * Priority queue of pending events, ordered by (time, order of scheduling). It is a 4-ary heap.
 *
 * <p>An event is two longs: its time and a stamp. The upper bits of a stamp count scheduled events; the lower {@link
 * #BITS} bits identify the action. A stamp can be reserved long before its event is added, which keeps the order of a
 * run while events without effect are skipped. Operations take logarithmic time. Nothing is allocated once the array
 * has reached its maximum length.
 */
public final class EventHeap {
    /** Bits of a stamp that identify the action. */
    public static final int BITS = 26;

    private static final long LAST_COUNT = (1L << (63 - BITS)) - 1;
    private static final long MAX_TIME = EventCalendar.MAX_TIME;
    private static final int ARITY = 4;

    private long[] entries = new long[1 << 10];
    private int size;
    private long planned;
    /** True if the root is empty: its event was removed, and no other has replaced it yet. */
    private boolean hasHole;

    public int size() {
        return hasHole ? size - 1 : size;
    }

    /** True if there is an event; it is then at the root. */
    public boolean hasNext() {
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
    public long time() {
        return entries[0];
    }

    /** Stamp of the first event, after {@link #hasNext}. */
    public long stamp() {
        return entries[1];
    }

    /** Number of the next scheduled event. */
    public long planned() {
        return planned;
    }

    /** Removes all events and copies time and stamp of each, unordered, into {@code into} or a longer array. */
    public long[] drain(long[] into) {
        if (hasHole) {
            close();
        }
        long[] all = into.length < 2 * size ? new long[4 * size] : into;
        System.arraycopy(entries, 0, all, 0, 2 * size);
        size = 0;
        return all;
    }

    /**
     * Reserves the next position in the order of scheduling, with lower bits 0.
     *
     * @throws IllegalStateException after 2^37 events
     */
    public long nextStamp() {
        if (planned > LAST_COUNT) {
            throw new IllegalStateException("more than 2^37 events in one run");
        }
        return planned++ << BITS;
    }

    /** Schedules an event after all events scheduled so far for {@code time}. */
    public long plan(long time, int what) {
        long stamp = nextStamp() | what;
        add(time, stamp);
        return stamp;
    }

    /** Adds an event with a stamp that was reserved before. */
    public void add(long time, long stamp) {
        if (time < 0 || time > MAX_TIME) {
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

    /** Removes the first event. The next added event fills the empty root, which saves one pass through the heap. */
    public void removeFirst() {
        hasHole = true;
    }

    /** Moves smaller children up until the given event fits into the hole. */
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
