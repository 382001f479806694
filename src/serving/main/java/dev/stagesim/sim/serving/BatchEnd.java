package dev.stagesim.sim.serving;

import java.util.Map;
import java.util.TreeMap;

/** Keeps the requests' accounts when a stage starts or ends on their batch and when the batch is done. */
final class BatchEnd {
    private final RequestStates states;
    private final RecorderSet recorders;

    /** When the last token came of requests that went through batches without a token since then, being computed again. */
    private final Map<Integer, Double> lastTokens = new TreeMap<>();

    private int completed;
    private int completedBefore;

    BatchEnd(RequestStates states, RecorderSet recorders) {
        this.states = states;
        this.recorders = recorders;
    }

    int completed() {
        return completed;
    }

    /** Requests completed whose tokens are counted elsewhere. */
    void completed(int more) {
        completed += more;
    }

    /** The gap since the last stage execution counts as preempted; before the first there is none. */
    void stageScheduled(Batch batch, double now) {
        double[] lastEnd = states.lastStageEnd;
        double[] preempted = states.preempted;
        int[] requests = batch.requests;
        for (int i = batch.firstAlone(); i < batch.size; i = batch.nextAlone(i)) {
            int request = requests[i];
            double last = lastEnd[request];
            preempted[request] = last == 0 ? 0 : preempted[request] + (now - last);
        }
        // most often the stage before has just ended, for all of them
        for (int i = 0; i < batch.inStep && now != lastEnd[requests[0]]; i++) {
            preempted[requests[i]] += now - lastEnd[requests[i]];
        }
        batch.cohort.stageScheduled(now);
    }

    void stageEnded(Batch batch, double now, double total, double model) {
        double[] lastEnd = states.lastStageEnd;
        double[] execution = states.execution;
        double[] modelExecution = states.modelExecution;
        int[] requests = batch.requests;
        for (int i = batch.firstAlone(); i < batch.size; i = batch.nextAlone(i)) {
            int request = requests[i];
            if (states.completed(request)) {
                continue; // it ended while this batch was on its way
            }
            lastEnd[request] = now;
            execution[request] += total;
            modelExecution[request] += model;
        }
        for (int i = 0; i < batch.inStep; i++) {
            int request = requests[i];
            lastEnd[request] = now;
            execution[request] += total;
            modelExecution[request] += model;
        }
        batch.cohort.stageEnded(now, total, model);
    }

    /** Counts the batch's tokens; the end of a prompt yields the first output token at once. */
    void advance(Batch batch, double now) {
        int[] processed = states.processed;
        completedBefore = completed;
        for (int i = batch.firstAlone(); i < batch.size; i = batch.nextAlone(i)) {
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
        completed += batch.cohort.advance(now);
    }

    /** Tells the recorders, in the reference's order: completions, then per request its prefill and its token. */
    void report(Batch batch, double now) {
        for (ServingRecorder recorder : recorders.ended) {
            recorder.batchEnded(batch, now, states);
        }
        if (completed > completedBefore) {
            reportCompleted(batch, 0, batch.cohortFrom, now);
            for (int i = 0; i < batch.cohort.doneCount(); i++) {
                reportCompleted(batch.cohort.doneRequest(i), now);
            }
            reportCompleted(batch, batch.cohortTo, batch.size, now);
        }
        double inBatch = now - batch.scheduledAt;
        reportTokens(batch, 0, batch.cohortFrom, inBatch, now);
        reportCohort(batch, inBatch, now);
        reportTokens(batch, batch.cohortTo, batch.size, inBatch, now);
    }

    private void reportCompleted(Batch batch, int from, int to, double now) {
        for (int i = from; i < to; i++) {
            if (states.completed(batch.requests[i])) {
                reportCompleted(batch.requests[i], now);
            }
        }
    }

    private void reportCompleted(int request, double now) {
        for (ServingRecorder recorder : recorders.all) {
            recorder.requestCompleted(request, now, states);
        }
    }

    private void reportTokens(Batch batch, int from, int to, double inBatch, double now) {
        for (int i = from; i < to; i++) {
            int request = batch.requests[i];
            int prompt = states.prefill[request];
            if (states.prefillCompletedAt[request] == now) {
                for (ServingRecorder recorder : recorders.tokens) {
                    recorder.prefillCompleted(prompt, now);
                }
            }
            int x = states.processed[request];
            if (x > prompt + 1) {
                double seconds = inBatch + (batch.scheduledAt - states.lastIterationEnd[request]);
                for (ServingRecorder recorder : recorders.tokens) {
                    recorder.decodeLatency(seconds, now);
                }
                reportLatencies(seconds, 1, now);
            }
            double lastEnd = states.lastIterationEnd[request];
            states.lastIterationEnd[request] = now;
            if (x <= prompt && states.emitted[request] > 0) {
                lastTokens.putIfAbsent(request, lastEnd);
            }
            if (x > prompt) {
                int index = states.emitted[request]++;
                if (index > 0) {
                    Double since = lastTokens.isEmpty() ? null : lastTokens.remove(request);
                    reportGaps(since == null ? lastEnd : since, 1, now);
                }
                for (ServingRecorder recorder : recorders.tokens) {
                    recorder.tokenEmitted(request, index, now);
                }
            }
        }
    }

    private void reportLatencies(double seconds, int count, double now) {
        for (ServingRecorder recorder : recorders.latencies) {
            recorder.decodeLatencies(seconds, count, now);
        }
    }

    private void reportGaps(double since, int count, double now) {
        for (ServingRecorder recorder : recorders.latencies) {
            recorder.tokenGaps(since, count, now);
        }
    }

    private void reportCohort(Batch batch, double inBatch, double now) {
        Cohort members = batch.cohort;
        int count = members.size();
        if (recorders.tokens.length > 0) {
            for (int i = 0; i < count; i++) {
                reportMember(batch, i, inBatch, now);
            }
        }
        if (recorders.latencies.length > 0) {
            for (int from = 0; from < count; ) {
                int to = members.sameEndUntil(from);
                reportLatencies(inBatch + (batch.scheduledAt - members.previousEnd(from)), to - from, now);
                reportGaps(members.previousEnd(from), to - from, now);
                from = to;
            }
        }
        members.reported(now);
    }

    private void reportMember(Batch batch, int member, double inBatch, double now) {
        int request = batch.requests[batch.cohortFrom + member];
        double seconds = inBatch + (batch.scheduledAt - batch.cohort.previousEnd(member));
        int index = batch.cohort.tokenIndex(member);
        for (ServingRecorder recorder : recorders.tokens) {
            // an instantaneous step ends when the prompt before it did
            if (states.prefillCompletedAt[request] == now) {
                recorder.prefillCompleted(states.prefill[request], now);
            }
        }
        for (ServingRecorder recorder : recorders.tokens) {
            recorder.decodeLatency(seconds, now);
        }
        for (ServingRecorder recorder : recorders.tokens) {
            recorder.tokenEmitted(request, index, now);
        }
    }
}
