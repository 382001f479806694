package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.policy.LiveRequest.Status;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Processes the results of a step. */
final class BatchResults {
    private final EngineState state;
    private final VllmSettings settings;
    private final StepCuts cuts;
    private final Set<LiveRequest> received;
    private final Set<LiveRequest> failed = new LinkedHashSet<>();
    private final List<LiveRequest> ended = new ArrayList<>();

    BatchResults(EngineState state, StepCuts cuts, Set<LiveRequest> received) {
        this.state = state;
        this.settings = state.settings;
        this.cuts = cuts;
        this.received = received;
    }

    void update(StepPlan plan, StepResult result, StepResult.Listener outputs) {
        state.drainFence(plan.step());
        failed.clear();
        if (!result.invalid.isEmpty()) {
            findFailed(plan, result.invalid);
        }
        ended.clear();
        for (int i = 0; i < plan.size(); i++) {
            update(plan, i, outputs);
        }
        for (LiveRequest request : ended) {
            state.remove(request);
            if (request.isResumable) {
                state.endTurn(request);
            }
        }
        endFailed(outputs);
        noteTransfers(result);
    }

    private void update(StepPlan plan, int at, StepResult.Listener outputs) {
        LiveRequest request = plan.request(at);
        if (request.isInLockstep) {
            outputs.output(request, 1);
            return;
        }
        request.inFlight -= plan.tokens(at);
        boolean isStale = request.stale > 0;
        if (isStale) {
            request.stale -= plan.tokens(at);
        }
        int verified = plan.drafts(at);
        if (request.status.isFinished()
                || (isStale && request.dropsStale)
                || (!failed.isEmpty() && failed.contains(request))) {
            return;
        }
        int returned = 0;
        if (plan.samples(at)) {
            int right = verified > 0 && !plan.isPadded(at) ? state.drafting.accepted(request, verified) : 0;
            returned = 1 + right;
            if (!isStale) {
                reject(request, verified - right);
            }
        }
        plan.outputs(at, request.output + returned);
        if (returned > 0) {
            accept(request, returned, isStale, outputs);
        }
        if (request.hasMedia && !request.status.isFinished()) {
            state.encoders.releaseBefore(request, request.computed - request.placeholders - cuts.mediaAhead());
        }
    }

    private static void reject(LiveRequest request, int rejected) {
        if (request.computed > 0) {
            request.computed -= rejected;
        }
        if (request.placeholders > 0) {
            request.placeholders -= rejected;
        }
    }

    private void accept(LiveRequest request, int returned, boolean isStale, StepResult.Listener outputs) {
        Status before = request.status;
        int appended = 0;
        boolean hadPlaceholders = request.placeholders > 0;
        Status after = before;
        while (appended < returned && !after.isFinished()) {
            request.output++;
            appended++;
            after = request.statusAfterToken(
                    state.cache.layout().maxModelLen(), settings.rules().stopsBeforeMinimum());
        }
        if (settings.rules().subtractsCutTokens() && !isStale) {
            request.computed -= returned - appended;
        }
        if (settings.asyncScheduling() && !isStale) {
            request.placeholders -= settings.rules().subtractsCutTokens() ? returned : appended;
        }
        if (before == Status.RUNNING) {
            offer(request, isStale, hadPlaceholders);
        }
        if (after.isFinished()) {
            if (request.isResumable) {
                request.status = after;
            } else {
                state.finish(request, after);
            }
            ended.add(request);
        }
        outputs.output(request, appended);
    }

    /** Offers the blocks that the result of a step has filled. */
    private void offer(LiveRequest request, boolean isStale, boolean hadPlaceholders) {
        if (!settings.rules().keysSettledTokens()) {
            if (settings.asyncScheduling()) {
                state.cache.offer(request.blocks, request.computed - request.placeholders, request.known());
            }
        } else if (!isStale && (hadPlaceholders || settings.speculation().tokens() > 0)) {
            state.cache.offer(request.blocks, request.computed - request.inFlight, request.known());
        }
    }

    private void findFailed(StepPlan plan, IntList invalid) {
        Set<Integer> claimed = new LinkedHashSet<>();
        for (LiveRequest request : state.skipped.ordered()) {
            if (request.status == Status.WAITING_FOR_REMOTE_KVS) {
                cutAtFailure(request, 0, invalid, claimed);
            }
        }
        claimed.clear();
        for (LiveRequest request : state.running) {
            int first = cutAtFailure(request, tokens(plan, request), invalid, claimed);
            if (first >= 0 && state.connector != null && !state.connector.recomputes()) {
                state.cache.dropKeys(request.blocks, first);
            }
        }
    }

    /** Returns the tokens of a request in a step; 0 if the step leaves it out. */
    private static int tokens(StepPlan plan, LiveRequest request) {
        for (int i = 0; i < plan.size(); i++) {
            if (plan.request(i) == request) {
                return plan.tokens(i);
            }
        }
        return 0;
    }

    /**
     * Revokes the tokens of a request from the first block on that did not arrive. Returns its position, or -1 if no
     * block failed or other requests recompute the failed blocks.
     */
    private int cutAtFailure(LiveRequest request, int tokens, IntList invalid, Set<Integer> claimed) {
        int size = state.cache.layout().alignment();
        IntList blocks = request.blocks.blocks(0);
        int before = request.computed - tokens;
        int count = Math.min((before + size - 1) / size, blocks.size());
        int first = -1;
        boolean isAffected = false;
        for (int i = 0; i < count; i++) {
            if (invalid.contains(blocks.get(i))) {
                isAffected = true;
                if (claimed.add(blocks.get(i)) && first < 0) {
                    first = i;
                }
            }
        }
        if (isAffected) {
            request.computed = first >= 0 ? first * size : before;
            request.hasFailedLoad = true;
            failed.add(request);
        }
        return first;
    }

    private void endFailed(StepResult.Listener outputs) {
        if (failed.isEmpty() || (state.connector != null && state.connector.recomputes())) {
            return;
        }
        for (LiveRequest request : failed) {
            state.remove(request);
            state.finish(request, Status.ERROR);
            outputs.output(request, 0);
        }
    }

    private void noteTransfers(StepResult result) {
        for (LiveRequest request : result.received) {
            if (request.status.isFinished()) {
                state.free(request);
            } else {
                received.add(request);
            }
        }
        result.sent.forEach(state::release);
    }
}
