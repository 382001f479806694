package dev.stagesim.sim.serving;

import java.util.Arrays;

/**
 * The pending events in order of (time, id), ids counting creations from 1.
 *
 * <p>A binary heap in parallel arrays holds the events of the future; those for the current instant wait in a ring,
 * since their ids rise by construction. O(log n) for future events, O(1) for present ones, and no allocation once the
 * arrays have grown to the greatest number pending.
 *
 * <p><b>Caveat:</b> an event may not be scheduled before the time of the last one taken.
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

    /** Sets aside ids 1 to {@code count} for events that are kept elsewhere. */
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

    /** Whether the next event comes before one at {@code otherTime} with {@code otherId}; the queue is not empty. */
    boolean nextBefore(double otherTime, long otherId) {
        boolean present = presentFirst();
        double nextTime = present ? time : heapTime[0];
        return nextTime < otherTime || (nextTime == otherTime && (present ? nowId[nowHead] : heapId[0]) < otherId);
    }

    /** Time of the next event, which must exist. */
    double nextTime() {
        return presentFirst() ? time : heapTime[0];
    }

    /** Moves to the next event, which must exist. */
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

    /** Advances the clock to an event that is kept elsewhere. */
    void advanceTo(double at) {
        if (at != time && nowCount > 0) {
            throw new IllegalStateException("clock advanced past events of the present");
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
        long its = heapId[last];
        int hole = 0;
        int child = 1;
        while (child < last) {
            if (child + 1 < last && before(heapTime[child + 1], heapId[child + 1], heapTime[child], heapId[child])) {
                child++;
            }
            if (!before(heapTime[child], heapId[child], at, its)) {
                break;
            }
            move(child, hole);
            hole = child;
            child = 2 * hole + 1;
        }
        set(hole, at, its, heapPayload[last]);
    }

    private static boolean before(double timeA, long idA, double timeB, long idB) {
        return timeA < timeB || (timeA == timeB && idA < idB);
    }

    private void move(int from, int to) {
        set(to, heapTime[from], heapId[from], heapPayload[from]);
    }

    private void set(int at, double when, long its, long what) {
        heapTime[at] = when;
        heapId[at] = its;
        heapPayload[at] = what;
    }
}
