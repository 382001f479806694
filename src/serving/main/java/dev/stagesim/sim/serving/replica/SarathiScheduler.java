package dev.stagesim.sim.serving.replica;

import dev.stagesim.sim.core.IntDeque;
import dev.stagesim.sim.serving.spec.SchedulerSpec;

/**
 * Sarathi-Serve's scheduler: every batch contains all decodes, and chunks of prompts fill the rest of a token budget, so
 * long prompts never delay the output of other requests.
 */
final class SarathiScheduler extends PagedScheduler {
    private final int chunkSize;
    private final IntDeque prefills = new IntDeque();

    SarathiScheduler(Parts parts, SchedulerSpec.Sarathi sarathi) {
        super(parts);
        this.chunkSize = sarathi.chunkSize();
    }

    @Override
    void fill(Batch batch) {
        fillDecodes(batch);
        continuePrefills(batch);
        sortRunning();
        admitNew(batch);
    }

    /** Adds the decodes, which the budget does not limit, and sets requests with incomplete prompts aside. */
    private void fillDecodes(Batch batch) {
        while (!running.isEmpty() && batch.size != microBatch) {
            if (takeCohort(batch, microBatch - batch.size)) {
                continue;
            }
            int request = firstRunning();
            if (!states.prefillDone(request)) {
                prefills.addLast(request);
            } else if (makeRoom(request)) {
                batch.addDecode(request);
            }
        }
    }

    /**
     * Adds the next chunks of the requests that were set aside. Requests without a chunk return to the front of the running
     * list.
     */
    private void continuePrefills(Batch batch) {
        int setAside = prefills.size();
        for (int i = 0; i < setAside; i++) {
            int request = prefills.removeFirst();
            int chunk = nextChunk(request, batch);
            if (chunk > 0) {
                batch.addPrefill(request, chunk);
            } else {
                prefills.addLast(request);
            }
        }
        while (!prefills.isEmpty()) {
            addFirstRunning(prefills.removeLast());
        }
    }

    private void admitNew(Batch batch) {
        while (!waiting.isEmpty() && allocatedRequests() != cap && batch.size != microBatch) {
            int request = waiting.first();
            int prompt = states.prefill[request];
            if (!canAdmit(prompt)) {
                return;
            }
            int chunk = nextChunk(request, batch);
            if (chunk == 0) {
                return;
            }
            waiting.removeFirst();
            admit(request, blocksFor(prompt));
            batch.addPrefill(request, chunk);
        }
    }

    private int nextChunk(int request, Batch batch) {
        int left = states.prefill[request] - states.progress.processed[states.progress.at(request)];
        return Math.max(0, Math.min(left, chunkSize - batch.totalTokens));
    }
}
