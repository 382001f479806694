package dev.stagesim.sim.core;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.Arrays;

/**
 * Pending events in order of (time, order of scheduling), for simulations with many events at the same time.
 *
 * <p>A heap contains the distinct pending times, a hash table maps each time to its list, and the events of a time are in a
 * linked list. Scheduling at a pending time and taking the next event cost O(1), a new time costs O(log of the number of
 * distinct times). Nothing is allocated after the arrays have reached the maximum number of pending events.
 *
 * <p><b>Caveats:</b> times are at least 0 and at most 2^62 ns; later ones are an input error. An event must not be scheduled
 * before the current time.
 */
public final class EventCalendar {
    private static final int NONE = -1;

    /** Latest time of an event in ns. */
    public static final long MAX_TIME = 1L << 62;

    private long now;
    private int current = NONE;
    private long handled;

    private int[] heap = new int[64];
    private int heapSize;

    private long[] listTime = new long[64];
    private int[] listHead = new int[64];
    private int[] listTail = new int[64];
    private int freeList = NONE;
    private int lists;
    private int recent = NONE;

    private int[] table = new int[256];

    private long[] payload = new long[256];
    private int[] next = new int[256];
    private int freeEvent = NONE;
    private int eventsMade;

    public EventCalendar() {
        Arrays.fill(table, NONE);
    }

    /** Returns the time of the last event taken, initially 0. */
    public long now() {
        return now;
    }

    /** Returns the number of events taken so far. */
    public long handled() {
        return handled;
    }

    /** Schedules an event at the absolute time {@code at}. */
    public void schedule(long at, long what) {
        int list = recent;
        if (list == NONE || listTime[list] != at) {
            list = listAt(at);
            recent = list;
        }
        int event = newEvent();
        payload[event] = what;
        next[event] = NONE;
        int tail = listTail[list];
        if (tail == NONE) {
            listHead[list] = event;
        } else {
            next[tail] = event;
        }
        listTail[list] = event;
    }

    /** Returns true if an event is left. */
    public boolean hasNext() {
        return heapSize > 0 && (heapSize > 1 || listHead[heap[0]] != NONE);
    }

    /** Returns true if another event is pending at the time of the last one taken. */
    public boolean hasNow() {
        return current != NONE && listHead[current] != NONE;
    }

    /** Returns the time of the next event, which must exist. */
    public long nextTime() {
        if (listHead[heap[0]] == NONE) {
            dropFirst();
        }
        return listTime[heap[0]];
    }

    /** Takes the next event, which must exist, and advances the clock to it. */
    public long take() {
        int list = current;
        if (list == NONE || listHead[list] == NONE) {
            if (list != NONE) {
                dropFirst();
            }
            list = heap[0];
            current = list;
            now = listTime[list];
        }
        int event = listHead[list];
        int after = next[event];
        listHead[list] = after;
        if (after == NONE) {
            listTail[list] = NONE;
        }
        next[event] = freeEvent;
        freeEvent = event;
        handled++;
        return payload[event];
    }

    /** Returns the error for an event later than {@link #MAX_TIME}. */
    public static StageException tooLate() {
        return StageException.input(
                Problem.of(
                                "simulation error",
                                "time",
                                "an event is scheduled more than 2^62 ns (146 years) after the start")
                        .hint(
                                "check for a latency, delay, size or duration that is much too large, or a bandwidth that is much too small"));
    }

    /** Returns the list of a time and creates it if it is absent. */
    private int listAt(long at) {
        if (at < 0 || at > MAX_TIME) {
            throw tooLate();
        }
        if (at < now) {
            throw new IllegalStateException("an event was scheduled for " + at + ", before the current time, " + now);
        }
        int mask = table.length - 1;
        int slot = hash(at) & mask;
        while (table[slot] != NONE) {
            if (listTime[table[slot]] == at) {
                return table[slot];
            }
            slot = (slot + 1) & mask;
        }
        if (heapSize * 2 >= table.length) {
            growTable();
            return listAt(at);
        }
        int list = newList();
        listTime[list] = at;
        listHead[list] = NONE;
        listTail[list] = NONE;
        table[slot] = list;
        push(list, at);
        return list;
    }

    private int newList() {
        int list = freeList;
        if (list != NONE) {
            freeList = listTail[list];
            return list;
        }
        if (lists == listTime.length) {
            listTime = Arrays.copyOf(listTime, lists * 2);
            listHead = Arrays.copyOf(listHead, lists * 2);
            listTail = Arrays.copyOf(listTail, lists * 2);
        }
        return lists++;
    }

    private int newEvent() {
        int event = freeEvent;
        if (event != NONE) {
            freeEvent = next[event];
            return event;
        }
        if (eventsMade == payload.length) {
            payload = Arrays.copyOf(payload, eventsMade * 2);
            next = Arrays.copyOf(next, eventsMade * 2);
        }
        return eventsMade++;
    }

    private void push(int list, long at) {
        if (heapSize == heap.length) {
            heap = Arrays.copyOf(heap, heapSize * 2);
        }
        int hole = heapSize++;
        while (hole > 0) {
            int parent = (hole - 1) >>> 1;
            if (listTime[heap[parent]] <= at) {
                break;
            }
            heap[hole] = heap[parent];
            hole = parent;
        }
        heap[hole] = list;
    }

    /** Removes the earliest time, which has an empty list. */
    private void dropFirst() {
        int list = heap[0];
        if (list == recent) {
            recent = NONE;
        }
        if (list == current) {
            current = NONE;
        }
        forget(list);
        listTail[list] = freeList;
        freeList = list;
        int last = heap[--heapSize];
        if (heapSize == 0) {
            return;
        }
        long at = listTime[last];
        int hole = 0;
        int child = 1;
        while (child < heapSize) {
            if (child + 1 < heapSize && listTime[heap[child + 1]] < listTime[heap[child]]) {
                child++;
            }
            if (listTime[heap[child]] >= at) {
                break;
            }
            heap[hole] = heap[child];
            hole = child;
            child = 2 * hole + 1;
        }
        heap[hole] = last;
    }

    /** Removes a list from the hash table and moves the following ones of its probe sequence back. */
    private void forget(int list) {
        int mask = table.length - 1;
        int slot = hash(listTime[list]) & mask;
        while (table[slot] != list) {
            slot = (slot + 1) & mask;
        }
        int gap = slot;
        while (true) {
            slot = (slot + 1) & mask;
            int other = table[slot];
            if (other == NONE) {
                break;
            }
            int home = hash(listTime[other]) & mask;
            if (((slot - home) & mask) >= ((slot - gap) & mask)) {
                table[gap] = other;
                gap = slot;
            }
        }
        table[gap] = NONE;
    }

    private void growTable() {
        int[] bigger = new int[table.length * 2];
        Arrays.fill(bigger, NONE);
        int mask = bigger.length - 1;
        for (int list : table) {
            if (list != NONE) {
                int slot = hash(listTime[list]) & mask;
                while (bigger[slot] != NONE) {
                    slot = (slot + 1) & mask;
                }
                bigger[slot] = list;
            }
        }
        table = bigger;
    }

    private static int hash(long time) {
        long mixed = time * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32);
    }
}
