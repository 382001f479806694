package dev.stagesim.sim.serving.replica;

import dev.stagesim.sim.serving.spec.SchedulerSpec;

/**
 * vLLM's V0 scheduler: a batch is either whole prompts or one decode step of the running requests. When blocks run out, the
 * request with the latest arrival is restarted.
 */
final class VllmScheduler extends PagedScheduler {
    private final int maxTokensInBatch;

    VllmScheduler(Parts parts, SchedulerSpec.Vllm vllm) {
        super(parts);
        this.maxTokensInBatch = vllm.maxTokensInBatch();
    }

    @Override
    void fill(Batch batch) {
        fillPrefills(batch);
        if (batch.size == 0) {
            sortRunning();
            fillDecodes(batch);
        }
    }

    private void fillPrefills(Batch batch) {
        int longest = 0;
        while (!waiting.isEmpty() && batch.size != microBatch && allocatedRequests() != cap) {
            int request = waiting.first();
            int prompt = states.prefill[request];
            int padded = Math.max(longest, prompt);
            if (!canAdmit(prompt) || (batch.size + 1L) * padded > maxTokensInBatch) {
                return;
            }
            longest = padded;
            waiting.removeFirst();
            admit(request, blocksFor(prompt));
            batch.addPrefill(request, prompt);
        }
    }

    private void fillDecodes(Batch batch) {
        while (!running.isEmpty() && batch.size != microBatch) {
            if (takeCohort(batch, microBatch - batch.size)) {
                continue;
            }
            int request = firstRunning();
            if (makeRoom(request)) {
                batch.addDecode(request);
            }
        }
    }
}
