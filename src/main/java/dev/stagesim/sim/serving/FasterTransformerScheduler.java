package dev.stagesim.sim.serving;

/**
 * FasterTransformer's scheduler: a batch of requests runs until its last one is done; new requests start only as new
 * batches.
 *
 * <p>In the reference, requests that finish before the last of their batch are never freed. Without its quirks each
 * is freed when it finishes.
 */
final class FasterTransformerScheduler extends ReplicaScheduler {
    private final BatchPool pool;
    private final IntDeque unfinished = new IntDeque();
    private final int maxBatch;
    private final int blocksPerSequence;
    private final boolean leaks;

    FasterTransformerScheduler(
            ServingSpec spec, MemoryPlan plan, RequestStates states, BatchPool pool, Restarts restarts) {
        super(spec, plan, states, restarts);
        this.pool = pool;
        this.maxBatch = plan.effectiveMaxBatch();
        this.blocksPerSequence = plan.blocksPerSequence();
        this.leaks = spec.quirks();
    }

    @Override
    boolean batchEnded(Batch batch) {
        int done = 0;
        for (int i = 0; i < batch.size; i++) {
            int request = batch.requests[i];
            if (states.completed(request)) {
                done++;
                completedOne();
                if (!leaks) {
                    release(request);
                }
            }
        }
        if (done < batch.size) {
            unfinished.addLast(batch.slot);
            return true;
        }
        for (int i = 0; leaks && i < batch.size; i++) {
            release(batch.requests[i]);
        }
        return false;
    }

    @Override
    void fill(Batch batch) {
        if (!unfinished.isEmpty()) {
            resume(batch, pool.get(unfinished.removeFirst()));
            return;
        }
        while (!waiting.isEmpty() && batch.size < maxBatch && freeBlocks() >= blocksPerSequence) {
            int request = waiting.removeFirst();
            admit(request, blocksPerSequence);
            batch.addPrefill(request, states.prefill[request]);
        }
    }

    private void resume(Batch batch, Batch previous) {
        for (int i = 0; i < previous.size; i++) {
            int request = previous.requests[i];
            if (states.completed(request)) {
                continue;
            }
            if (states.prefillDone(request)) {
                batch.addDecode(request);
            } else {
                batch.addPrefill(request, states.prefill[request]);
            }
        }
        pool.release(previous);
    }
}
