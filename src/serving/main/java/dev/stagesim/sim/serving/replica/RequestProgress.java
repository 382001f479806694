package dev.stagesim.sim.serving.replica;

import java.util.Arrays;

/**
 * The state that a request has only until its row is written: tokens and blocks, and the parts of its time in seconds.
 *
 * <p>The arrays are a ring. The entry of a request is at {@link #at}. A ring with one entry per request has no mask.
 */
public final class RequestProgress {
    private final int mask;
    public final int[] processed;
    final int[] blocks;
    public final double[] lastIterationEnd;
    public final double[] lastStageEnd;
    final double[] preempted;
    public final double[] execution;
    public final double[] modelExecution;

    /**
     * Creates empty entries.
     *
     * @param length a power of two, or {@code requests} if it is at least that
     */
    RequestProgress(int length, int requests) {
        int entries = Math.min(length, requests);
        mask = entries == requests ? -1 : entries - 1;
        processed = new int[entries];
        blocks = new int[entries];
        lastIterationEnd = new double[entries];
        lastStageEnd = new double[entries];
        preempted = new double[entries];
        execution = new double[entries];
        modelExecution = new double[entries];
        Arrays.fill(blocks, -1);
    }

    /** Returns the index of the entry of a request. */
    public int at(int request) {
        return request & mask;
    }

    int length() {
        return processed.length;
    }

    void reset(int request) {
        int at = at(request);
        processed[at] = 0;
        blocks[at] = -1;
        lastIterationEnd[at] = 0;
        lastStageEnd[at] = 0;
        preempted[at] = 0;
        execution[at] = 0;
        modelExecution[at] = 0;
    }

    /** Copies the entry of a request from a shorter ring. */
    void copy(RequestProgress shorter, int request) {
        int from = shorter.at(request);
        int to = at(request);
        processed[to] = shorter.processed[from];
        blocks[to] = shorter.blocks[from];
        lastIterationEnd[to] = shorter.lastIterationEnd[from];
        lastStageEnd[to] = shorter.lastStageEnd[from];
        preempted[to] = shorter.preempted[from];
        execution[to] = shorter.execution[from];
        modelExecution[to] = shorter.modelExecution[from];
    }

    /** Returns the total time of stages on batches with a request. */
    public double execution(int request) {
        return execution[at(request)];
    }

    /** Returns the part of {@link #execution(int)} without CPU overheads. */
    public double modelExecution(int request) {
        return modelExecution[at(request)];
    }

    /** Returns the time between stage executions: pipeline bubbles and waits between iterations or after a restart. */
    public double preempted(int request) {
        return preempted[at(request)];
    }
}
