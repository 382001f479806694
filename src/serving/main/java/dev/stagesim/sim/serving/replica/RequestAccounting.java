package dev.stagesim.sim.serving.replica;

import java.util.Map;
import java.util.TreeMap;

/** Updates the request states when a stage starts or ends a batch and when the batch is complete. */
public final class RequestAccounting {
    private final RequestStates states;
    private final RecorderSet recorders;

    /** Time of the last token of requests that are being recomputed and got no token in their latest batches. */
    private final Map<Integer, Double> lastTokens = new TreeMap<>();

    private int completed;
    private int completedBefore;

    public RequestAccounting(RequestStates states, RecorderSet recorders) {
        this.states = states;
        this.recorders = recorders;
    }

    public int completed() {
        return completed;
    }

    /** Counts completions of requests with tokens that are counted elsewhere. */
    void completed(int more) {
        completed += more;
    }

    /** Adds the gap since the last stage execution to the preempted time. There is no gap before the first execution. */
    public void stageScheduled(Batch batch, double now) {
        RequestProgress progress = states.progress;
        double[] lastEnd = progress.lastStageEnd;
        double[] preempted = progress.preempted;
        int[] requests = batch.requests;
        for (int i = batch.firstIndividual(); i < batch.size; i = batch.nextIndividual(i)) {
            int at = progress.at(requests[i]);
            double last = lastEnd[at];
            preempted[at] = last == 0 ? 0 : preempted[at] + (now - last);
        }
        // in most cases, the previous stage has just ended for all of them
        for (int i = 0; i < batch.inStep && now != lastEnd[progress.at(requests[0])]; i++) {
            int at = progress.at(requests[i]);
            preempted[at] += now - lastEnd[at];
        }
        batch.cohort.stageScheduled(now);
    }

    public void stageEnded(Batch batch, double now, double total, double model) {
        RequestProgress progress = states.progress;
        double[] lastEnd = progress.lastStageEnd;
        double[] execution = progress.execution;
        double[] modelExecution = progress.modelExecution;
        int[] requests = batch.requests;
        for (int i = batch.firstIndividual(); i < batch.size; i = batch.nextIndividual(i)) {
            int request = requests[i];
            if (states.completed(request)) {
                continue; // the request ended while this batch was in flight
            }
            int at = progress.at(request);
            lastEnd[at] = now;
            execution[at] += total;
            modelExecution[at] += model;
        }
        for (int i = 0; i < batch.inStep; i++) {
            int at = progress.at(requests[i]);
            lastEnd[at] = now;
            execution[at] += total;
            modelExecution[at] += model;
        }
        batch.cohort.stageEnded(now, total, model);
    }

    /** Counts the tokens of the batch. The end of a prompt produces the first output token immediately. */
    void advance(Batch batch, double now) {
        RequestProgress progress = states.progress;
        completedBefore = completed;
        for (int i = batch.firstIndividual(); i < batch.size; i = batch.nextIndividual(i)) {
            int request = batch.requests[i];
            int x = progress.processed[progress.at(request)] + batch.tokens[i];
            int prompt = states.prefill[request];
            if (x == prompt) {
                x++;
                states.set(request, RequestStates.PREFILL_DONE);
                if (states.prefillCompletedAt[request] == 0) {
                    states.prefillCompletedAt[request] = now;
                }
            }
            progress.processed[progress.at(request)] = x;
            if (x == prompt + states.decode[request]) {
                states.set(request, RequestStates.COMPLETED);
                states.completedAt[request] = now;
                completed++;
            }
        }
        completed += batch.cohort.advance(now);
    }

    /** Notifies the recorders in the order of the reference: completions, then the prefill and the token of each request. */
    void report(Batch batch, double now) {
        recorders.batchEnded(batch, now, states);
        if (completed > completedBefore) {
            reportCompleted(batch, 0, batch.cohortFrom, now);
            for (int i = 0; i < batch.cohort.doneCount(); i++) {
                recorders.completed(batch.cohort.doneRequest(i), now, states);
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
                recorders.completed(batch.requests[i], now, states);
            }
        }
    }

    private void reportTokens(Batch batch, int from, int to, double inBatch, double now) {
        RequestProgress progress = states.progress;
        for (int i = from; i < to; i++) {
            int request = batch.requests[i];
            int prompt = states.prefill[request];
            if (states.prefillCompletedAt[request] == now) {
                for (ServingRecorder recorder : recorders.tokens) {
                    recorder.prefillCompleted(prompt, now);
                }
            }
            int at = progress.at(request);
            int x = progress.processed[at];
            if (x > prompt + 1) {
                double seconds = inBatch + (batch.scheduledAt - progress.lastIterationEnd[at]);
                for (ServingRecorder recorder : recorders.tokens) {
                    recorder.decodeLatency(seconds, now);
                }
                for (ServingRecorder recorder : recorders.latencies) {
                    recorder.decodeLatencies(seconds, 1, now);
                }
            }
            double lastEnd = progress.lastIterationEnd[at];
            progress.lastIterationEnd[at] = now;
            if (x <= prompt && states.emitted[request] > 0) {
                lastTokens.putIfAbsent(request, lastEnd);
            }
            if (x > prompt) {
                int index = states.emitted[request]++;
                if (index > 0) {
                    Double since = lastTokens.isEmpty() ? null : lastTokens.remove(request);
                    for (ServingRecorder recorder : recorders.latencies) {
                        recorder.tokenGaps(since == null ? lastEnd : since, 1, now);
                    }
                }
                for (ServingRecorder recorder : recorders.tokens) {
                    recorder.tokenEmitted(request, index, now);
                }
            }
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
                double since = members.previousEnd(from);
                recorders.gaps(inBatch + (batch.scheduledAt - since), since, to - from, now);
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
            // a step of zero duration ends at the same time as the prompt before it
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
