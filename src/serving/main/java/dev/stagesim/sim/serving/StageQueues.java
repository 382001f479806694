package dev.stagesim.sim.serving;

import dev.stagesim.sim.core.IntDeque;

/** The FIFO queue of every pipeline stage, and whether the stage is busy. */
final class StageQueues {
    private final int stages;
    private final IntDeque[] queues;
    private final boolean[] busy;

    StageQueues(int replicas, int stages) {
        this.stages = stages;
        this.queues = new IntDeque[replicas * stages];
        this.busy = new boolean[queues.length];
        for (int i = 0; i < queues.length; i++) {
            queues[i] = new IntDeque();
        }
    }

    void append(int replica, int stage, int slot) {
        queues[replica * stages + stage].addLast(slot);
    }

    /** Returns true if {@link #start} would return a batch. */
    boolean canStart(int replica, int stage) {
        int at = replica * stages + stage;
        return !busy[at] && !queues[at].isEmpty();
    }

    /** Returns the batch that {@link #start} would take, or -1 if the stage is busy or has none. */
    int next(int replica, int stage) {
        return canStart(replica, stage) ? queues[replica * stages + stage].first() : -1;
    }

    /** Starts the batch at the head of the queue of an idle stage. Returns -1 if the stage is busy or the queue is empty. */
    int start(int replica, int stage) {
        int at = replica * stages + stage;
        if (busy[at] || queues[at].isEmpty()) {
            return -1;
        }
        busy[at] = true;
        return queues[at].removeFirst();
    }

    /** Removes the batch at the head of a queue, whether the stage is busy or not. Returns -1 if the queue is empty. */
    int takeNext(int replica, int stage) {
        IntDeque queue = queues[replica * stages + stage];
        return queue.isEmpty() ? -1 : queue.removeFirst();
    }

    void stop(int replica, int stage) {
        busy[replica * stages + stage] = false;
    }

    boolean idle() {
        for (int i = 0; i < queues.length; i++) {
            if (busy[i] || !queues[i].isEmpty()) {
                return false;
            }
        }
        return true;
    }
}
