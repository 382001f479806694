package dev.stagesim.sim.serving.replica;

/** Orca's scheduler: every batch mixes prompts and decodes, and each request reserves the blocks of the maximum length. */
final class OrcaScheduler extends SequenceScheduler {
    OrcaScheduler(Parts parts) {
        super(parts);
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
        admitSequences(batch);
    }
}
