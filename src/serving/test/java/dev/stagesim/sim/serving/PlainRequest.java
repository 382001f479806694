package dev.stagesim.sim.serving;

import dev.stagesim.sim.serving.replica.RequestStates;

/** A request of the {@link PlainSimulator}. */
final class PlainRequest {
    final int id;
    double arrived;
    int prefill;
    int decode;
    int processed;
    boolean scheduled;
    boolean prefillDone;
    boolean completed;
    boolean withdrawn;
    int replica = -1;
    int restarts;
    int emitted;
    int blocks;
    double scheduledAt;
    double prefillCompletedAt;
    double completedAt;
    double lastIterationEnd;
    double lastStageEnd;
    double preempted;
    double execution;
    double model;

    PlainRequest(int id, double arrived, int prefill, int decode) {
        this.id = id;
        this.arrived = arrived;
        this.prefill = prefill;
        this.decode = decode;
    }

    void advance(int tokens, double now) {
        processed += tokens;
        if (processed == prefill) {
            processed++;
            prefillDone = true;
            prefillCompletedAt = prefillCompletedAt == 0 ? now : prefillCompletedAt;
        }
        if (processed == prefill + decode) {
            completed = true;
            completedAt = now;
        }
    }

    void restart(boolean quirks) {
        if (quirks || prefillDone) {
            int total = prefill + decode;
            prefill = processed;
            decode = total - processed;
        }
        processed = 0;
        scheduled = false;
        prefillDone = false;
        completed = false;
        restarts++;
    }

    /** Returns all results of the request as text. */
    String figures() {
        return String.join(
                " ",
                "request " + id,
                prefill + "+" + decode,
                "processed " + processed,
                "restarts " + restarts,
                "emitted " + emitted,
                "done " + completed,
                "scheduled " + scheduledAt,
                "prompt " + prefillCompletedAt,
                "completed " + completedAt,
                "execution " + execution,
                "model " + model,
                "preempted " + preempted);
    }

    static String figures(RequestStates states, int id) {
        PlainRequest request =
                new PlainRequest(id, states.arrivedAt(id), states.prefillTokens(id), states.decodeTokens(id));
        request.processed = states.processedTokens(id);
        request.restarts = states.restarts(id);
        request.emitted = states.emittedTokens(id);
        request.completed = states.completed(id);
        request.scheduledAt = states.scheduledAt(id);
        request.prefillCompletedAt = states.prefillCompletedAt(id);
        request.completedAt = states.completedAt(id);
        request.execution = states.execution(id);
        request.model = states.modelExecution(id);
        request.preempted = states.preempted(id);
        return request.figures();
    }
}
