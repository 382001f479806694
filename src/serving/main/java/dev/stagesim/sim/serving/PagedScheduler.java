package dev.stagesim.sim.serving;

/** Block allocation with a watermark and recompute preemption, as vLLM and Sarathi share it. */
abstract class PagedScheduler extends ReplicaScheduler {
    private final long watermarkBlocks;
    private final boolean asksAlways;

    PagedScheduler(Parts parts) {
        super(parts);
        this.watermarkBlocks = parts.plan().watermarkBlocks();
        this.asksAlways = parts.spec().has(Accident.SPARE_BLOCK);
    }

    /** Whether a new request's whole prompt fits and leaves the watermark free. */
    final boolean canAdmit(int prompt) {
        return freeBlocks() - blocksFor(prompt) >= watermarkBlocks;
    }

    @Override
    final AdmissionLimit heldBackBy(Batch batch) {
        if (allocatedRequests() == cap) {
            return AdmissionLimit.BATCH_CAP;
        }
        if (!canAdmit(states.prefill[waiting.first()])) {
            return AdmissionLimit.KV_BLOCKS;
        }
        return batch.size == microBatch ? AdmissionLimit.BATCH_CAP : AdmissionLimit.TOKEN_BUDGET;
    }

    /**
     * Makes sure that a running request can take one more token, restarting requests from the back of the running list
     * while no block is free; false when the request itself had to go.
     *
     * <p>The reference asks for a free block even when the token still fits into the request's last one, so a request
     * that fills the memory alone never goes on.
     */
    final boolean makeRoom(int request) {
        boolean full = states.processed[request] > (long) states.blocks[request] * blockSize;
        while ((full || asksAlways) && freeBlocks() < 1) {
            if (running.isEmpty()) {
                preempt(request);
                return false;
            }
            preempt(lastRunning());
        }
        if (full) {
            addBlock(request);
        }
        return true;
    }
}
