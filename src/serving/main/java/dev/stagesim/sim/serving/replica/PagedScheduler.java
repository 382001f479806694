package dev.stagesim.sim.serving.replica;

import dev.stagesim.sim.serving.spec.VidurQuirk;

/** Block allocation with a watermark and preemption by recomputation, which vLLM and Sarathi share. */
abstract class PagedScheduler extends ReplicaScheduler {
    private final long watermarkBlocks;
    private final boolean needsSpareBlock;

    PagedScheduler(Parts parts) {
        super(parts);
        this.watermarkBlocks = parts.plan().watermarkBlocks();
        this.needsSpareBlock = parts.spec().has(VidurQuirk.SPARE_BLOCK);
    }

    /** Returns true if the whole prompt of a new request fits and leaves the watermark free. */
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
     * Ensures that a running request can take one more token. While no block is free, restarts requests from the back of the
     * running list. Returns false if the request itself was restarted.
     *
     * <p>The reference requires a free block even if the token fits into the last block of the request. A request that fills
     * the memory alone therefore never proceeds.
     */
    final boolean makeRoom(int request) {
        int at = states.progress.at(request);
        boolean full = states.progress.processed[at] > (long) states.progress.blocks[at] * blockSize;
        while ((full || needsSpareBlock) && freeBlocks() < 1) {
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
