package dev.stagesim.sim.serving.replica;

/** A scheduler that reserves the blocks of the maximum sequence length for each request. */
abstract class SequenceScheduler extends ReplicaScheduler {
    final int maxBatch;
    private final int blocksPerSequence;

    SequenceScheduler(Parts parts) {
        super(parts);
        this.maxBatch = parts.plan().effectiveMaxBatch();
        this.blocksPerSequence = parts.plan().blocksPerSequence();
    }

    /** A maximum batch of the planner that is below the cap is a limit of memory. */
    @Override
    final AdmissionLimit heldBackBy(Batch batch) {
        return freeBlocks() < blocksPerSequence || maxBatch < cap ? AdmissionLimit.KV_BLOCKS : AdmissionLimit.BATCH_CAP;
    }

    /** Adds waiting requests while the batch and the memory have room. */
    final void admitSequences(Batch batch) {
        while (!waiting.isEmpty() && batch.size < maxBatch && freeBlocks() >= blocksPerSequence) {
            int request = waiting.removeFirst();
            admit(request, blocksPerSequence);
            batch.addPrefill(request, states.prefill[request]);
        }
    }
}
