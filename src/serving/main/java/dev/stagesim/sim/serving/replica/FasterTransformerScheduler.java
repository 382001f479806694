package dev.stagesim.sim.serving.replica;

import dev.stagesim.sim.core.IntDeque;
import dev.stagesim.sim.serving.spec.VidurQuirk;

/**
 * FasterTransformer's scheduler: a static batch runs until its last request is complete; waiting requests start only in a
 * new batch.
 *
 * <p>The reference never frees requests that finish before the last one of their batch. Without that bug, each request is
 * freed when it finishes.
 */
final class FasterTransformerScheduler extends SequenceScheduler {
    private final BatchPool pool;
    private final IntDeque unfinished = new IntDeque();
    private final boolean leaks;

    FasterTransformerScheduler(Parts parts) {
        super(parts);
        this.pool = parts.pool();
        this.leaks = parts.spec().has(VidurQuirk.UNFREED_MEMBERS);
    }

    /** All requests of a batch decode in lockstep after the first step, because that step computes their whole prompts. */
    @Override
    public boolean requeue(Batch batch) {
        Cohort members = batch.cohort;
        for (int i = 0; i < members.doneCount(); i++) {
            completed(members.doneRequest(i));
        }
        members.removeDone();
        for (int i = batch.cohortTo; i < batch.size; i++) {
            int request = batch.requests[i];
            if (states.completed(request)) {
                completed(request);
            } else {
                members.join(request);
            }
        }
        if (!members.isEmpty()) {
            unfinished.addLast(batch.slot);
            return true;
        }
        for (int i = 0; leaks && i < batch.size; i++) {
            release(batch.requests[i]);
        }
        return false;
    }

    /** A request of a started batch runs to the end of the batch, even if it is cancelled. */
    @Override
    public boolean withdraw(int request) {
        return withdrawWaiting(request);
    }

    private void completed(int request) {
        completedOne();
        if (!leaks) {
            release(request);
        }
    }

    @Override
    void fill(Batch batch) {
        if (!unfinished.isEmpty()) {
            Batch previous = pool.get(unfinished.removeFirst());
            previous.cohort = batch.exchange(previous.cohort);
            pool.release(previous);
            return;
        }
        admitSequences(batch);
    }
}
