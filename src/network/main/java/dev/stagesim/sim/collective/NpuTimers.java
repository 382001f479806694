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

    /** By NPU: first timer of its first batch. The first timer of a batch has the batch's time, end and successor. */
    private final int[] firstBatch;

    private long[] batchTime = new long[64];
    private int[] batchTail = new int[64];
    private int[] nextBatch = new int[64];
    private long[] what = new long[64];
    private long[] value = new long[64];
    private int[] next = new int[64];
    private int free = NONE;
    private int made;

    NpuTimers(Network network, int npus, Handler handler) {
        this.network = network;
        this.handler = handler;
        this.firstBatch = new int[npus];
        Arrays.fill(firstBatch, NONE);
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
        int timer = newTimer();
        what[timer] = (long) kind << 32 | ref;
        value[timer] = newValue;
        next[timer] = NONE;
        int batch = firstBatch[npu];
        while (batch != NONE && batchTime[batch] != at) {
            batch = nextBatch[batch];
        }
        if (batch == NONE) {
            batchTime[timer] = at;
            batchTail[timer] = timer;
            nextBatch[timer] = firstBatch[npu];
            firstBatch[npu] = timer;
            network.schedule(at, (long) npu << 32 | timer);
        } else {
            next[batchTail[batch]] = timer;
            batchTail[batch] = timer;
        }
    }

    /** NPU of an event. */
    static int npu(long event) {
        return (int) (event >>> 32);
    }

    /** Runs and removes a batch that is due. */
    void run(long event) {
        int batch = (int) event;
        int npu = npu(event);
        int timer = batch;
        while (timer != NONE) {
            handler.due(npu, (int) (what[timer] >>> 32), (int) what[timer], value[timer]);
            int after = next[timer];
            if (timer != batch) {
                release(timer);
            }
            timer = after;
        }
        remove(npu, batch);
    }

    private void remove(int npu, int batch) {
        int before = firstBatch[npu];
        if (before == batch) {
            firstBatch[npu] = nextBatch[batch];
        } else {
            while (nextBatch[before] != batch) {
                before = nextBatch[before];
            }
            nextBatch[before] = nextBatch[batch];
        }
        release(batch);
    }

    private void release(int timer) {
        next[timer] = free;
        free = timer;
    }

    private int newTimer() {
        int timer = free;
        if (timer != NONE) {
            free = next[timer];
            return timer;
        }
        if (made == what.length) {
            int size = made * 2;
            batchTime = Arrays.copyOf(batchTime, size);
            batchTail = Arrays.copyOf(batchTail, size);
            nextBatch = Arrays.copyOf(nextBatch, size);
            what = Arrays.copyOf(what, size);
            value = Arrays.copyOf(value, size);
            next = Arrays.copyOf(next, size);
        }
        return made++;
    }
}
