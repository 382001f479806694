package dev.stagesim.sim.serving.replica;

import java.util.Arrays;

/**
 * Requests that decode in lockstep: each takes one token of every batch of the cohort. A value that changes by the same
 * amount for all members is kept once. The other values are in arrays in the order of the batch. A step then costs a
 * few sums over small arrays and visits a request only if it completes.
 *
 * <p>The entries of a member in {@link RequestStates} keep their values from the time when it joined; {@link
 * #writeBack} updates them. Every sum consists of the same additions in the same order as for a single request, so
 * results do not depend on the members of a cohort.
 *
 * <p><b>Caveats:</b> a member has finished its prompt and is not complete. Its batch has ended when it joins and when
 * its entries are read. Joining is amortised O(1), a step O(members) with a small constant.
 */
public final class Cohort {
    /** Number of steps before a cohort must be dissolved to avoid an overflow of its counts. */
    private static final int MAX_STEPS = 1 << 30;

    private static final int NEVER = Integer.MAX_VALUE;

    private final RequestStates states;
    private final int blockSize;
    private final boolean hostTimes;

    private int size;
    private int[] ids = new int[16];
    private int[] tokensBefore = new int[16];
    private int[] lastStep = new int[16];
    private double[] execution = new double[16];
    private double[] modelExecution = new double[16];
    private double[] preempted = new double[16];

    /** End of the last batch of each member; valid only if the ends differ. */
    private double[] ends = new double[16];

    private boolean sameEnd = true;
    private double iterationEnd;
    private boolean sameStageEnd = true;
    private double stageEnd;

    private int step;
    private int nextLastStep = NEVER;
    private long kvTokens;
    private boolean sorted = true;

    /** By remainder of the step number modulo the block size: number of members that need a block in these steps. */
    private final int[] due;

    private int doneCount;
    private int[] done = new int[16];

    /**
     * Creates an empty cohort.
     *
     * @param blockSize tokens of a block, or 0 if memory does not grow
     * @param hostTimes whether the time of a stage differs from its model time
     */
    Cohort(RequestStates states, int blockSize, boolean hostTimes) {
        this.states = states;
        this.blockSize = blockSize;
        this.hostTimes = hostTimes;
        this.due = new int[Math.max(1, blockSize)];
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    int[] ids() {
        return ids;
    }

    /** Returns the tokens of the members in the KV cache, including the token of the next step. */
    long kvTokens() {
        return kvTokens;
    }

    /** Returns true if the members are in order of arrival. */
    boolean sorted() {
        return sorted;
    }

    /** Returns true if the next step would bring the counts close to an overflow. */
    boolean tooOld() {
        return step >= MAX_STEPS;
    }

    /** Returns the number of blocks that the members need for their next step. */
    int blocksDue() {
        return blockSize == 0 ? 0 : due[step % blockSize];
    }

    /** Returns true if a request can join at the end of its batch. */
    boolean canJoin(int request) {
        return states.prefillDone(request) && !states.completed(request);
    }

    /** Returns the blocks of a request between batches. They contain all its tokens except the last one. */
    private int blocksBefore(int tokens) {
        return (tokens - 1 + blockSize - 1) / blockSize;
    }

    /** Appends a request to the members. */
    void join(int request) {
        if (size == ids.length) {
            grow();
        }
        RequestProgress progress = states.progress;
        int from = progress.at(request);
        if (size == 0) {
            sorted = true;
            sameEnd = true;
            iterationEnd = progress.lastIterationEnd[from];
        } else if (states.arrivedAt[ids[size - 1]] > states.arrivedAt[request]) {
            sorted = false;
        }
        double end = progress.lastIterationEnd[from];
        if (sameEnd && end != iterationEnd) {
            Arrays.fill(ends, 0, size, iterationEnd);
            sameEnd = false;
        }
        int at = size++;
        ids[at] = request;
        ends[at] = end;
        int x = progress.processed[from];
        if (blockSize > 0 && progress.blocks[from] != blocksBefore(x)) {
            throw new IllegalStateException(progress.blocks[from] + " blocks for " + x + " tokens");
        }
        tokensBefore[at] = x - step;
        lastStep[at] = states.prefill[request] + states.decode[request] - tokensBefore[at];
        nextLastStep = Math.min(nextLastStep, lastStep[at]);
        execution[at] = progress.execution[from];
        modelExecution[at] = progress.modelExecution[from];
        preempted[at] = progress.preempted[from];
        kvTokens += x;
        countDue(at, 1);
    }

    /** Counts a member in the steps before which its tokens, except the last one, fill whole blocks. */
    private void countDue(int at, int change) {
        if (blockSize > 0) {
            due[Math.floorMod(1 - tokensBefore[at], blockSize)] += change;
        }
    }

    /** Adds the members to a batch that was just formed and has allocated their blocks. */
    void enterBatch() {
        sameStageEnd = sameEnd;
        stageEnd = iterationEnd;
    }

    void stageScheduled(double now) {
        if (!sameStageEnd) {
            for (int i = 0; i < size; i++) {
                preempted[i] = ends[i] == 0 ? 0 : preempted[i] + (now - ends[i]);
            }
        } else if (stageEnd == 0) {
            Arrays.fill(preempted, 0, size, 0);
        } else if (now != stageEnd) {
            add(preempted, now - stageEnd);
        }
    }

    void stageEnded(double now, double total, double model) {
        add(execution, total);
        if (hostTimes) {
            add(modelExecution, model);
        }
        sameStageEnd = true;
        stageEnd = now;
    }

    private void add(double[] sums, double amount) {
        for (int i = 0; i < size; i++) {
            sums[i] += amount;
        }
    }

    /** Counts a token for each member and finds the complete members. Returns their number. */
    int advance(double now) {
        step++;
        kvTokens += size;
        if (step != nextLastStep) {
            return 0;
        }
        nextLastStep = NEVER;
        for (int i = 0; i < size; i++) {
            if (lastStep[i] == step) {
                noteDone(i, now);
            } else if (lastStep[i] < nextLastStep) {
                nextLastStep = lastStep[i];
            }
        }
        return doneCount;
    }

    private void noteDone(int at, double now) {
        if (doneCount == done.length) {
            done = Arrays.copyOf(done, doneCount * 2);
        }
        done[doneCount++] = at;
        int request = ids[at];
        write(at);
        states.emitted[request]--; // the last token counts when it is reported
        states.set(request, RequestStates.COMPLETED);
        states.completedAt[request] = now;
    }

    /** Returns the number of complete members that are not removed yet. */
    int doneCount() {
        return doneCount;
    }

    int doneRequest(int index) {
        return ids[done[index]];
    }

    /** Returns the end of a member's batch before the current one. */
    double previousEnd(int at) {
        return sameEnd ? iterationEnd : ends[at];
    }

    /** Returns the first member after {@code from} with a different end of the batch before the current one. */
    int sameEndUntil(int from) {
        if (sameEnd) {
            return size;
        }
        int to = from + 1;
        while (to < size && ends[to] == ends[from]) {
            to++;
        }
        return to;
    }

    /** Returns the index of the token that the batch has just produced for a member, from 0. */
    int tokenIndex(int at) {
        int request = ids[at];
        return states.emitted[request] + (states.completed(request) ? 0 : steps(at) - 1);
    }

    private int steps(int at) {
        return tokensBefore[at] + step - states.progress.processed[states.progress.at(ids[at])];
    }

    /** Sets the end of the last batch of all members to the end of the reported batch. */
    void reported(double now) {
        sameEnd = true;
        iterationEnd = now;
        for (int i = 0; i < doneCount; i++) {
            int request = ids[done[i]];
            states.emitted[request]++;
            states.progress.lastIterationEnd[states.progress.at(request)] = now;
        }
    }

    /** Removes the complete members without changing the order of the remaining ones. */
    void removeDone() {
        if (doneCount == 0) {
            return;
        }
        int to = done[0];
        for (int i = 0; i < doneCount; i++) {
            int from = done[i] + 1;
            int end = i + 1 < doneCount ? done[i + 1] : size;
            kvTokens -= tokensBefore[done[i]] + step;
            countDue(done[i], -1);
            move(from, to, end - from);
            to += end - from;
        }
        size = to;
        doneCount = 0;
        if (size == 0) {
            clear();
        }
    }

    private void move(int from, int to, int count) {
        System.arraycopy(ids, from, ids, to, count);
        System.arraycopy(tokensBefore, from, tokensBefore, to, count);
        System.arraycopy(lastStep, from, lastStep, to, count);
        System.arraycopy(execution, from, execution, to, count);
        System.arraycopy(preempted, from, preempted, to, count);
        if (hostTimes) {
            System.arraycopy(modelExecution, from, modelExecution, to, count);
        }
        if (!sameEnd) {
            System.arraycopy(ends, from, ends, to, count);
        }
    }

    /** Updates the entries of all members and removes them. */
    void dissolve() {
        writeBack();
        clear();
    }

    /** Updates the entries of all members. */
    void writeBack() {
        for (int i = 0; i < size; i++) {
            write(i);
        }
    }

    private void write(int at) {
        int request = ids[at];
        int x = tokensBefore[at] + step;
        RequestProgress progress = states.progress;
        int to = progress.at(request);
        states.emitted[request] += x - progress.processed[to];
        progress.processed[to] = x;
        if (blockSize > 0) {
            progress.blocks[to] = blocksBefore(x);
        }
        progress.execution[to] = execution[at];
        progress.modelExecution[to] = hostTimes ? modelExecution[at] : execution[at];
        progress.preempted[to] = preempted[at];
        progress.lastIterationEnd[to] = previousEnd(at);
        progress.lastStageEnd[to] = previousEnd(at);
    }

    private void clear() {
        size = 0;
        step = 0;
        nextLastStep = NEVER;
        kvTokens = 0;
        doneCount = 0;
        Arrays.fill(due, 0);
    }

    private void grow() {
        int more = size * 2;
        ids = Arrays.copyOf(ids, more);
        tokensBefore = Arrays.copyOf(tokensBefore, more);
        lastStep = Arrays.copyOf(lastStep, more);
        execution = Arrays.copyOf(execution, more);
        modelExecution = Arrays.copyOf(modelExecution, more);
        preempted = Arrays.copyOf(preempted, more);
        ends = Arrays.copyOf(ends, more);
    }
}
