package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.PagedBlocks;
import java.util.List;

/** The first half of a step: schedules running requests in order and preempts the last ones if blocks run out. */
final class RunningPass {
    private final EngineState state;
    private final VllmSettings settings;
    private final PagedBlocks cache;
    private final StepCuts cuts;

    RunningPass(EngineState state, StepCuts cuts) {
        this.state = state;
        this.settings = state.settings;
        this.cache = state.cache;
        this.cuts = cuts;
    }

    void run(StepPlan plan, StepBudget budget) {
        List<LiveRequest> running = state.running;
        cache.noMatch();
        budget.index = state.inStep;
        while (budget.index < running.size() && budget.tokens > 0 && budget.inputs > budget.draftSlots) {
            LiveRequest request = running.get(budget.index);
            int tokens = isDue(request, budget) ? tokens(request, budget) : 0;
            if (tokens == 0) {
                budget.index++;
                continue;
            }
            if (!grow(request, tokens, plan, budget)) {
                if (request.status == LiveRequest.Status.PREEMPTED
                        && settings.byPriority()
                        && settings.rules().continuesAfterSelfPreemption()) {
                    continue;
                }
                return;
            }
            schedule(request, tokens, plan, budget);
        }
    }

    private boolean isDue(LiveRequest request, StepBudget budget) {
        boolean endsInFlight = request.placeholders > 0
                && request.computed + 2 - request.placeholders >= request.prompt + request.maxOutput;
        return !endsInFlight && state.step >= request.nextDecodeStep && !(budget.defers && request.isChunk);
    }

    private int tokens(LiveRequest request, StepBudget budget) {
        int tokens = Math.min(budget.capped(request.need()), budget.room());
        tokens = Math.min(tokens, cache.layout().maxModelLen() - request.computed - 1);
        return Math.max(0, cuts.cut(request, request.computed, tokens));
    }

    private boolean grow(LiveRequest request, int tokens, StepPlan plan, StepBudget budget) {
        int lookahead = settings.speculation().lookahead();
        while (!cache.grow(
                request.blocks,
                state.growth.running(request.computed, tokens, lookahead, request.known(), request.inFlight))) {
            LiveRequest victim = victim();
            if (settings.rules().preemptsOnlyFreeable() && !state.isFreeable(victim)) {
                return false;
            }
            int at = state.running.indexOf(victim);
            state.running.remove(at);
            int returned = plan.remove(victim);
            if (returned > 0) {
                budget.tokens += returned;
                budget.inputs += returned + budget.draftSlots;
            }
            if (at < budget.index) {
                budget.index--;
            }
            state.preempt(victim, false);
            plan.preempted().add(victim);
            if (victim == request) {
                return false;
            }
        }
        return true;
    }

    private LiveRequest victim() {
        List<LiveRequest> running = state.running;
        if (!settings.byPriority()) {
            return running.get(running.size() - 1);
        }
        LiveRequest victim = running.get(0);
        for (LiveRequest request : running) {
            if (RequestQueue.isLessUrgent(request.spec, victim.spec)) {
                victim = request;
            }
        }
        return victim;
    }

    private void schedule(LiveRequest request, int tokens, StepPlan plan, StepBudget budget) {
        int verified = 0;
        if (request.drafts > 0) {
            verified = Math.max(0, tokens + request.computed - request.known() - request.placeholders);
            request.drafts = 0;
        }
        plan.add(request, StepPlan.Entry.RUNNING, tokens, request.computed, verified, false);
        cuts.take(request, request.computed, tokens);
        budget.tokens -= tokens;
        budget.inputs -= tokens + budget.draftSlots;
        budget.hasPrompt |= request.isChunk;
        budget.index++;
    }
}
