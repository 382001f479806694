package dev.stagesim.sim.serving.replica;

import dev.stagesim.sim.serving.memory.MemoryForecast;
import dev.stagesim.sim.serving.spec.SchedulerSpec;

/**
 * LightLLM's scheduler: memory is counted in tokens, and a request is admitted only if the forecast peak of the memory of
 * all running requests stays below the capacity. It has one pipeline stage only.
 */
final class LightLlmScheduler extends ReplicaScheduler {
    private final int maxTokensInBatch;
    private final int maxWaitingIters;
    private int waitedIters;
    private AdmissionLimit stop = AdmissionLimit.TOKEN_BUDGET;

    /** The running and just admitted requests. */
    private final MemoryForecast forecast = new MemoryForecast();

    LightLlmScheduler(Parts parts, SchedulerSpec.LightLlm lightLlm) {
        super(parts);
        this.maxTokensInBatch = lightLlm.maxTokensInBatch();
        this.maxWaitingIters = lightLlm.maxWaitingIters();
    }

    @Override
    AdmissionLimit heldBackBy(Batch batch) {
        return allocatedRequests() == cap || batch.size == microBatch ? AdmissionLimit.BATCH_CAP : stop;
    }

    @Override
    void fill(Batch batch) {
        if (running.isEmpty()) {
            fillPrefills(batch);
            if (batch.size > 0) {
                waitedIters = 0;
            }
            return;
        }
        if (waitedIters >= maxWaitingIters) {
            waitedIters = 0;
            fillPrefills(batch);
            if (batch.size > 0) {
                return;
            }
        }
        fillDecodes(batch);
    }

    private void fillPrefills(Batch batch) {
        forecast.clear();
        writeBack();
        for (int i = 0; i < running.size(); i++) {
            insert(running.get(i));
        }
        while (!waiting.isEmpty() && allocatedRequests() != cap && batch.size != microBatch) {
            int request = waiting.first();
            int prompt = states.prefill[request];
            if ((long) batch.totalTokens + prompt > maxTokensInBatch) {
                stop = AdmissionLimit.TOKEN_BUDGET;
                return;
            }
            insert(request);
            if (forecast.peak() >= totalBlocks) {
                stop = AdmissionLimit.KV_BLOCKS;
                return;
            }
            waiting.removeFirst();
            admit(request, prompt);
            batch.addPrefill(request, prompt);
        }
    }

    private void fillDecodes(Batch batch) {
        if (freeBlocks() < running.size()) {
            throw new OutOfBlocksException("the lightllm scheduler has " + running.size() + " running requests and "
                    + freeBlocks() + " free tokens of KV cache");
        }
        waitedIters++;
        while (!running.isEmpty()) {
            if (takeCohort(batch, Integer.MAX_VALUE)) {
                continue;
            }
            int request = firstRunning();
            addBlock(request);
            batch.addDecode(request);
        }
    }

    private void insert(int request) {
        long holds;
        long left;
        if ((states.flags[request] & RequestStates.SCHEDULED) != 0) {
            int x = states.progress.processed[states.progress.at(request)];
            holds = x;
            left = Math.max(0, states.decode[request] - Math.max(x - states.prefill[request], 0) - 1);
        } else {
            holds = states.prefill[request] + 1L;
            left = Math.max(0, states.decode[request] - 2);
        }
        forecast.add(holds, left);
    }
}
