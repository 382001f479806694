package dev.stagesim.sim.serving;

import java.util.Arrays;

/**
 * The pending events in order of (time, id). Ids number the events in order of creation, from 1.
 *
 * <p>A binary heap in parallel arrays contains the future events. Events of the current time are in a ring buffer, because
 * their ids ascend by construction. O(log n) for future events, O(1) for current ones, and no allocation after the arrays
 * have reached the maximum number of pending events.
 *
 * <p><b>Caveat:</b> an event must not be scheduled before the time of the last event taken.
 */
final class EventQueue {
    private double[] heapTime = new double[64];
    private long[] heapId = new long[64];
    private long[] heapPayload = new long[64];
    private int heapSize;

    private long[] nowId = new long[64];
    private long[] nowPayload = new long[64];
    private int nowHead;
    private int nowCount;

    private long lastId;
    private double time = Double.NEGATIVE_INFINITY;
    private long id;
    private long payload;

    /** Reserves ids 1 to {@code count} for events that are stored elsewhere. */
    EventQueue(long count) {
        this.lastId = count;
    }

    /** Creates an event and returns its id. */
    long add(double at, long what) {
        long created = ++lastId;
        if (at == time) {
            addNow(created, what);
        } else {
            addLater(at, created, what);
        }
        return created;
    }

    boolean isEmpty() {
        return nowCount == 0 && heapSize == 0;
    }

    /**
     * Returns true if the next event precedes an event at {@code otherTime} with {@code otherId}. The queue must not be
     * empty.
     */
    boolean nextBefore(double otherTime, long otherId) {
        boolean present = presentFirst();
        double nextTime = present ? time : heapTime[0];
        return nextTime < otherTime || (nextTime == otherTime && (present ? nowId[nowHead] : heapId[0]) < otherId);
    }

    /** Returns the time of the next event, which must exist. */
    double nextTime() {
        return presentFirst() ? time : heapTime[0];
    }

    /** Removes the next event, which must exist, and advances the clock to it. */
    void take() {
        if (presentFirst()) {
            id = nowId[nowHead];
            payload = nowPayload[nowHead];
            nowHead = (nowHead + 1) & (nowId.length - 1);
            nowCount--;
        } else {
            time = heapTime[0];
            id = heapId[0];
            payload = heapPayload[0];
            removeTop();
        }
    }

    /** Advances the clock to an event that is stored elsewhere. */
    void advanceTo(double at) {
        if (at != time && nowCount > 0) {
            throw new IllegalStateException("the clock advanced past current events");
        }
        time = at;
    }

    double time() {
        return time;
    }

    long id() {
        return id;
    }

    long payload() {
        return payload;
    }

    long lastId() {
        return lastId;
    }

    private boolean presentFirst() {
        return nowCount > 0
                && (heapSize == 0 || heapTime[0] > time || (heapTime[0] == time && heapId[0] > nowId[nowHead]));
    }

    private void addNow(long created, long what) {
        if (nowCount == nowId.length) {
            growNow();
        }
        int at = (nowHead + nowCount++) & (nowId.length - 1);
        nowId[at] = created;
        nowPayload[at] = what;
    }

    private void growNow() {
        int old = nowId.length;
        long[] ids = new long[old * 2];
        long[] payloads = new long[old * 2];
        for (int i = 0; i < nowCount; i++) {
            ids[i] = nowId[(nowHead + i) & (old - 1)];
            payloads[i] = nowPayload[(nowHead + i) & (old - 1)];
        }
        nowId = ids;
        nowPayload = payloads;
        nowHead = 0;
    }

    private void addLater(double at, long created, long what) {
        if (heapSize == heapTime.length) {
            heapTime = Arrays.copyOf(heapTime, heapSize * 2);
            heapId = Arrays.copyOf(heapId, heapSize * 2);
            heapPayload = Arrays.copyOf(heapPayload, heapSize * 2);
        }
        int hole = heapSize++;
        while (hole > 0) {
            int parent = (hole - 1) >>> 1;
            // A newer id never precedes an older one at the same time, so the time alone decides on the way up.
            if (heapTime[parent] <= at) {
                break;
            }
            move(parent, hole);
            hole = parent;
        }
        set(hole, at, created, what);
    }

    private void removeTop() {
        int last = --heapSize;
        if (last == 0) {
            return;
        }
        double at = heapTime[last];
        long eventId = heapId[last];
        int hole = 0;
        int child = 1;
        while (child < last) {
            if (child + 1 < last && before(heapTime[child + 1], heapId[child + 1], heapTime[child], heapId[child])) {
                child++;
            }
            if (!before(heapTime[child], heapId[child], at, eventId)) {
                break;
            }
            move(child, hole);
            hole = child;
            child = 2 * hole + 1;
        }
        set(hole, at, eventId, heapPayload[last]);
    }

    private static boolean before(double timeA, long idA, double timeB, long idB) {
        return timeA < timeB || (timeA == timeB && idA < idB);
    }

    private void move(int from, int to) {
        set(to, heapTime[from], heapId[from], heapPayload[from]);
    }

    private void set(int at, double when, long eventId, long what) {
        heapTime[at] = when;
        heapId[at] = eventId;
        heapPayload[at] = what;
    }
}
