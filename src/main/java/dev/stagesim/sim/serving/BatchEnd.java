package dev.stagesim.sim.serving;

/** Keeps the requests' accounts when a stage starts or ends on their batch and when the batch is done. */
final class BatchEnd {
    private final RequestStates states;
    private final RecorderSet recorders;
    private int completed;
    private int completedBefore;

    BatchEnd(RequestStates states, RecorderSet recorders) {
        this.states = states;
        this.recorders = recorders;
    }

    int completed() {
        return completed;
    }

    /** The gap since the last stage execution counts as preempted; before the first there is none. */
    void stageScheduled(Batch batch, double now) {
        double[] lastEnd = states.lastStageEnd;
        double[] preempted = states.preempted;
        int[] requests = batch.requests;
        for (int i = 0; i < batch.size; i++) {
            int request = requests[i];
            double last = lastEnd[request];
            preempted[request] = last == 0 ? 0 : preempted[request] + (now - last);
        }
    }

    void stageEnded(Batch batch, double now, double total, double model) {
        double[] lastEnd = states.lastStageEnd;
        double[] execution = states.execution;
        double[] modelExecution = states.modelExecution;
        int[] requests = batch.requests;
        for (int i = 0; i < batch.size; i++) {
            int request = requests[i];
            lastEnd[request] = now;
            execution[request] += total;
            modelExecution[request] += model;
        }
    }

    /** Counts the batch's tokens; the end of a prompt yields the first output token at once. */
    void advance(Batch batch, double now) {
        int[] processed = states.processed;
        completedBefore = completed;
        for (int i = 0; i < batch.size; i++) {
            int request = batch.requests[i];
            int x = processed[request] + batch.tokens[i];
            int prompt = states.prefill[request];
            if (x == prompt) {
                x++;
                states.set(request, RequestStates.PREFILL_DONE);
                if (states.prefillCompletedAt[request] == 0) {
                    states.prefillCompletedAt[request] = now;
                }
            }
            processed[request] = x;
            if (x == prompt + states.decode[request]) {
                states.set(request, RequestStates.COMPLETED);
                states.completedAt[request] = now;
                completed++;
            }
        }
    }

    /** Tells the recorders, in the reference's order: completions, then per request its prefill and its token. */
    void report(Batch batch, double now) {
        for (ServingRecorder recorder : recorders.batches) {
            recorder.batchEnded(batch, now, states);
        }
        if (completed > completedBefore) {
            reportCompleted(batch, now);
        }
        reportTokens(batch, now);
    }

    private void reportCompleted(Batch batch, double now) {
        for (int i = 0; i < batch.size; i++) {
            int request = batch.requests[i];
            if (states.completed(request)) {
                for (ServingRecorder recorder : recorders.all) {
                    recorder.requestCompleted(request, now, states);
                }
            }
        }
    }

    private void reportTokens(Batch batch, double now) {
        double inBatch = now - batch.scheduledAt;
        for (int i = 0; i < batch.size; i++) {
            int request = batch.requests[i];
            int prompt = states.prefill[request];
            if (states.prefillCompletedAt[request] == now) {
                for (ServingRecorder recorder : recorders.tokens) {
                    recorder.prefillCompleted(prompt, now);
                }
            }
            int x = states.processed[request];
            if (x > prompt + 1) {
                double waited = batch.scheduledAt - states.lastIterationEnd[request];
                for (ServingRecorder recorder : recorders.tokens) {
                    recorder.decodeLatency(inBatch + waited, now);
                }
            }
            states.lastIterationEnd[request] = now;
            if (x > prompt) {
                int index = states.emitted[request]++;
                for (ServingRecorder recorder : recorders.tokens) {
                    recorder.tokenEmitted(request, index, now);
                }
            }
        }
    }
}
