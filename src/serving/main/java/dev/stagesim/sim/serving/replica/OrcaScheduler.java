package dev.stagesim.sim.serving.replica;

/** Orca's scheduler: every batch mixes prompts and decodes, and each request reserves the blocks of the maximum length. */
final class OrcaScheduler extends ReplicaScheduler {
    private final int maxBatch;
    private final int blocksPerSequence;

    OrcaScheduler(Parts parts) {
        super(parts);
        this.maxBatch = parts.plan().effectiveMaxBatch();
        this.blocksPerSequence = parts.plan().blocksPerSequence();
    }

    /** A maximum batch of the planner that is below the cap is a limit of memory. */
    @Override
    AdmissionLimit heldBackBy(Batch batch) {
        return freeBlocks() < blocksPerSequence || maxBatch < cap ? AdmissionLimit.KV_BLOCKS : AdmissionLimit.BATCH_CAP;
    }

    @Override
    void fill(Batch batch) {
        while (!running.isEmpty() && batch.size < maxBatch) {
            if (takeCohort(batch, maxBatch - batch.size)) {
                continue;
            }
            int request = firstRunning();
            if (states.prefillDone(request)) {
                batch.addDecode(request);
            } else {
                batch.addPrefill(request, states.prefill[request]);
            }
        }
        while (!waiting.isEmpty() && batch.size < maxBatch && freeBlocks() >= blocksPerSequence) {
            int request = waiting.removeFirst();
            admit(request, blocksPerSequence);
            batch.addPrefill(request, states.prefill[request]);
        }
    }
}
