package dev.stagesim.sim.collective;

import java.util.Arrays;

/** State of one NPU: how far it is in its trace, its slots, and its counters. */
final class Npu {
    private static final int[] EMPTY = {};
    private static final long[] NO_TIMES = {};

    /** Slots of capacity one, and the receives, which need none. */
    static final int CPU = 0;

    static final int GPU = 1;
    static final int COMM = 2;
    static final int RECEIVE = 3;

    final int rank;
    final RankTrace trace;
    final NodePlans plans;
    final TimeUse use = new TimeUse();

    /** Parents of each node that are not done. */
    final int[] waitsFor;

    /** Nodes that may begin, by slot. */
    final IntHeap[] free = {new IntHeap(), new IntHeap(), new IntHeap(), new IntHeap()};

    /** Nodes running in each slot. */
    final int[] inSlot = new int[4];

    /** Nodes that became free since {@link #free} was looked at. */
    int[] freed = EMPTY;

    int freedCount;

    /** Nodes that run and since when, in no order. */
    int[] running = EMPTY;

    long[] runningSince = NO_TIMES;
    int runningCount;

    int done;
    boolean isFinished;

    /** Number of the next chunk. */
    int nextStream;

    /** Priority counter of LIFO and FIFO. */
    int priority;

    Npu(int rank, RankTrace trace, NodePlans plans) {
        this.rank = rank;
        this.trace = trace;
        this.plans = plans;
        this.waitsFor = trace.parents.clone();
    }

    void addFreed(int node) {
        if (freedCount == freed.length) {
            freed = Arrays.copyOf(freed, Math.max(4, freedCount * 2));
        }
        freed[freedCount++] = node;
    }

    boolean hasFree() {
        return freedCount > 0 || !free[0].isEmpty() || !free[1].isEmpty() || !free[2].isEmpty() || !free[3].isEmpty();
    }

    void begin(int node, long now) {
        if (runningCount == running.length) {
            int size = Math.max(4, runningCount * 2);
            running = Arrays.copyOf(running, size);
            runningSince = Arrays.copyOf(runningSince, size);
        }
        running[runningCount] = node;
        runningSince[runningCount++] = now;
    }

    /** Takes a node from the running ones and returns since when it ran. */
    long end(int node) {
        int at = runningCount - 1;
        while (running[at] != node) {
            at--;
        }
        long since = runningSince[at];
        runningCount--;
        running[at] = running[runningCount];
        runningSince[at] = runningSince[runningCount];
        return since;
    }
}
