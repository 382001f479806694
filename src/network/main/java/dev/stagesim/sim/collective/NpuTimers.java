package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.trace.TraceErrors;
import dev.stagesim.sim.network.Network;
import java.util.Arrays;

/**
 * Timers of the NPUs, batched as in the reference: all timers of one NPU for one time run together, at the position of
 * the first.
 *
 * <p>A timer that is added to the running batch runs with it. After the batch has finished, a new batch for the same
 * time starts at the end of that time. O(distinct pending times of the NPU) per timer, which are few. No allocation
 * once the arrays have grown.
 */
final class NpuTimers {
    private static final int NONE = -1;

    /** Notified of due timers. */
    interface Handler {
        void due(int npu, int kind, int ref, long value);
    }

    private final Network network;
    private final Handler handler;
    private final int[] firstList;

    private long[] listTime = new long[64];
    private int[] listHead = new int[64];
    private int[] listTail = new int[64];
    private int[] listNext = new int[64];
    private int freeList = NONE;
    private int lists;

    private long[] what = new long[64];
    private long[] value = new long[64];
    private int[] next = new int[64];
    private int freeEntry = NONE;
    private int entries;

    NpuTimers(Network network, int npus, Handler handler) {
        this.network = network;
        this.handler = handler;
        this.firstList = new int[npus];
        Arrays.fill(firstList, NONE);
    }

    long now() {
        return network.now();
    }

    /** Converts a node's duration to ns. A node without duration takes 1 ns. */
    static long ns(long duration, long nsPerUnit) {
        if (duration < 0 || duration > Long.MAX_VALUE / nsPerUnit) {
            return Long.MAX_VALUE;
        }
        return duration == 0 ? 1 : duration * nsPerUnit;
    }

    /** Schedules a timer {@code delay} ns from now. */
    void register(int npu, long delay, int kind, int ref, long newValue) {
        if (delay < 0) {
            throw TraceErrors.system("time", "a timer is " + -delay + " ns in the past");
        }
        long at = network.now() + delay;
        int list = firstList[npu];
        while (list != NONE && listTime[list] != at) {
            list = listNext[list];
        }
        if (list == NONE) {
            list = newList();
            listTime[list] = at;
            listHead[list] = NONE;
            listTail[list] = NONE;
            listNext[list] = firstList[npu];
            firstList[npu] = list;
            network.schedule(at, (long) npu << 32 | list);
        }
        int entry = newEntry();
        what[entry] = (long) kind << 32 | ref;
        value[entry] = newValue;
        next[entry] = NONE;
        if (listTail[list] == NONE) {
            listHead[list] = entry;
        } else {
            next[listTail[list]] = entry;
        }
        listTail[list] = entry;
    }

    /** NPU of an event. */
    static int npu(long event) {
        return (int) (event >>> 32);
    }

    /** Runs and removes a batch that is due. */
    void run(long event) {
        int list = (int) event;
        int npu = npu(event);
        while (true) {
            int entry = listHead[list];
            if (entry == NONE) {
                break;
            }
            listHead[list] = next[entry];
            if (listHead[list] == NONE) {
                listTail[list] = NONE;
            }
            long kindAndRef = what[entry];
            long with = value[entry];
            next[entry] = freeEntry;
            freeEntry = entry;
            handler.due(npu, (int) (kindAndRef >>> 32), (int) kindAndRef, with);
        }
        drop(npu, list);
    }

    private void drop(int npu, int list) {
        if (firstList[npu] == list) {
            firstList[npu] = listNext[list];
        } else {
            int before = firstList[npu];
            while (listNext[before] != list) {
                before = listNext[before];
            }
            listNext[before] = listNext[list];
        }
        listNext[list] = freeList;
        freeList = list;
    }

    private int newList() {
        int list = freeList;
        if (list != NONE) {
            freeList = listNext[list];
            return list;
        }
        if (lists == listTime.length) {
            int size = lists * 2;
            listTime = Arrays.copyOf(listTime, size);
            listHead = Arrays.copyOf(listHead, size);
            listTail = Arrays.copyOf(listTail, size);
            listNext = Arrays.copyOf(listNext, size);
        }
        return lists++;
    }

    private int newEntry() {
        int entry = freeEntry;
        if (entry != NONE) {
            freeEntry = next[entry];
            return entry;
        }
        if (entries == what.length) {
            what = Arrays.copyOf(what, entries * 2);
            value = Arrays.copyOf(value, entries * 2);
            next = Arrays.copyOf(next, entries * 2);
        }
        return entries++;
    }
}
