package dev.stagesim.feature.pytorch.link;

import dev.stagesim.sim.core.StableOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Heuristic order between threads, derived from pauses.
 *
 * <p>The first operator of a thread, and each operator after a pause, is assumed to wait for the latest operator of
 * another thread that started earlier; so are all following operators up to the next pause.
 */
final class ThreadOrder {
    private final DeviceTrace trace;
    private final List<int[]> threads;
    private final int[] order;

    private ThreadOrder(DeviceTrace trace) {
        this.trace = trace;
        threads = trace.hostOpsByThread();
        // The thread that began first wins ties.
        order = StableOrder.of(threads.size(), (a, b) -> Integer.compare(first(a), first(b)));
    }

    private int first(int thread) {
        return threads.get(thread).length == 0 ? Integer.MAX_VALUE : threads.get(thread)[0];
    }

    /**
     * Returns, for each event, the id of the awaited operator in the host trace; {@link DeviceTrace#NONE} or 0 if none.
     *
     * @param pauseMicros minimum pause in microseconds
     */
    static long[] of(DeviceTrace trace, double pauseMicros) {
        ThreadOrder kernel = new ThreadOrder(trace);
        long[] awaited = new long[trace.size()];
        Arrays.fill(awaited, DeviceTrace.NONE);
        for (int thread = 0; thread < kernel.threads.size(); thread++) {
            kernel.thread(thread, pauseMicros, awaited);
        }
        return awaited;
    }

    private void thread(int thread, double pauseMicros, long[] awaited) {
        int[] ops = threads.get(thread);
        long current = DeviceTrace.NONE;
        for (int i = 0; i < ops.length; i++) {
            if (i == 0 || trace.start(ops[i]) - trace.start(ops[i - 1]) - trace.duration(ops[i - 1]) > pauseMicros) {
                current = lastElsewhere(thread, trace.start(ops[i]));
            }
            awaited[ops[i]] = current;
        }
    }

    private long lastElsewhere(int thread, double before) {
        int best = -1;
        double latest = 0;
        for (int other : order) {
            int[] ops = threads.get(other);
            if (other == thread || ops.length == 0) {
                continue;
            }
            int at = EventSearch.before(trace, ops, before);
            if (at < 0 || trace.start(ops[at]) <= latest) {
                continue;
            }
            latest = trace.start(ops[at]);
            while (at > 0 && trace.start(ops[at - 1]) == latest) {
                at--;
            }
            best = ops[at];
        }
        return best < 0 ? DeviceTrace.NONE : trace.record(best);
    }
}
