package dev.stagesim.sim.serving;

/**
 * FasterTransformer's scheduler: a batch of requests runs until its last one is done; new requests start only as new
 * batches.
 *
 * <p>In the reference, requests that finish before the last of their batch are never freed. Without that accident each
 * is freed when it finishes.
 */
final class FasterTransformerScheduler extends ReplicaScheduler {
    private final BatchPool pool;
    private final IntDeque unfinished = new IntDeque();
    private final int maxBatch;
    private final int blocksPerSequence;
    private final boolean leaks;

    FasterTransformerScheduler(Parts parts) {
        super(parts);
        this.pool = parts.pool();
        this.maxBatch = parts.plan().effectiveMaxBatch();
        this.blocksPerSequence = parts.plan().blocksPerSequence();
        this.leaks = parts.spec().has(Accident.UNFREED_MEMBERS);
    }

    /** Prompts are processed whole, so that after its first step all of a batch's requests decode in step. */
    @Override
    boolean takeBack(Batch batch) {
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

    /** What was started runs to the end of its batch, whoever waits for it. */
    @Override
    boolean withdraw(int request) {
        return withdrawWaiting(request);
    }

    private void completed(int request) {
        completedOne();
        if (!leaks) {
            release(request);
        }
    }

    /** The planner's maximum batch is a matter of memory when it is below the cap. */
    @Override
    AdmissionLimit heldBackBy(Batch batch) {
        return freeBlocks() < blocksPerSequence || maxBatch < cap ? AdmissionLimit.KV_BLOCKS : AdmissionLimit.BATCH_CAP;
    }

    @Override
    void fill(Batch batch) {
        if (!unfinished.isEmpty()) {
            Batch previous = pool.get(unfinished.removeFirst());
            previous.cohort = batch.exchange(previous.cohort);
            pool.release(previous);
            return;
        }
        while (!waiting.isEmpty() && batch.size < maxBatch && freeBlocks() >= blocksPerSequence) {
            int request = waiting.removeFirst();
            admit(request, blocksPerSequence);
            batch.addPrefill(request, states.prefill[request]);
        }
    }
}
