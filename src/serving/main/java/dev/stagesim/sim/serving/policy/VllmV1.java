package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.policy.LiveRequest.Status;
import dev.stagesim.sim.serving.request.RequestSpec;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * vLLM's V1 scheduler: every step schedules the running requests first and admits waiting ones with the remaining
 * budget.
 *
 * <p>There is no separate prefill or decode phase: a request needs its existing tokens minus its computed tokens.
 * Computed tokens advance when a step is planned, not when it ends, so several steps can be in flight.
 */
public final class VllmV1 {
    private final EngineState state;
    private final VllmSettings settings;
    private final PagedBlocks cache;
    private final RunningPass runningPass;
    private final WaitingPass waitingPass;
    private final BatchResults results;
    private final Set<LiveRequest> received = new LinkedHashSet<>();
    private @Nullable LockstepDecoder inStep;
    private boolean isDrained = true;
    /** Number of steps with tokens, and the last one with a prefill. */
    private long working;

    private long lastPrefill;

    public VllmV1(VllmSettings settings, PagedBlocks cache, Drafting drafting, @Nullable KvConnector connector) {
        this.settings = settings;
        this.cache = cache;
        lastPrefill = -settings.pacing().prefillInterval();
        state = new EngineState(settings, cache, drafting, connector);
        StepCuts cuts = new StepCuts(state);
        runningPass = new RunningPass(state, cuts);
        waitingPass = new WaitingPass(state, cuts, received);
        results = new BatchResults(state, cuts, received);
    }

    public VllmSettings settings() {
        return settings;
    }

    /** Adds a request. A request that needs a grammar waits until {@link #grammarReady}. */
    public LiveRequest add(RequestSpec spec, boolean needsGrammar) {
        LiveRequest request = new LiveRequest(spec, cache.open(spec), needsGrammar);
        state.enqueue(request);
        return request;
    }

    /** Adds the first turn of a session, whose prompt {@link #follow} extends. */
    public LiveRequest begin(RequestSpec spec) {
        LiveRequest request = add(spec, false);
        request.isResumable = true;
        return request;
    }

    /**
     * Adds a turn to a session. Its prompt starts with all earlier tokens. It starts immediately, or after the current
     * output.
     *
     * @param isResumable whether more turns follow
     */
    public void follow(LiveRequest session, RequestSpec next, boolean isResumable) {
        state.follow(session, next, isResumable);
    }

    /** Marks the grammar of a request as compiled. */
    public void grammarReady(LiveRequest request) {
        request.isReady = true;
    }

    /** Returns a request that has not ended. */
    public LiveRequest find(int index) {
        return Stream.of(state.running, waiting(), skipped())
                .flatMap(List::stream)
                .filter(request -> request.spec.index() == index)
                .findFirst()
                .orElseThrow();
    }

    /** Ends a request immediately; no effect if it has ended. */
    public void abort(LiveRequest request) {
        if (request.status.isFinished()) {
            return;
        }
        settle();
        boolean isLoading = request.status == Status.WAITING_FOR_REMOTE_KVS && !received.remove(request);
        state.remove(request);
        if (isLoading) {
            // the load cannot be cancelled: its blocks stay allocated until it has arrived
            request.status = Status.ABORTED;
            state.finished.add(request.spec.index());
        } else {
            state.finish(request, Status.ABORTED);
        }
    }

    /** Stops admitting requests; running ones continue. */
    public void pauseNew() {
        state.pause = EngineState.Pause.NEW;
    }

    /** Stops all work. */
    public void pauseAll() {
        state.pause = EngineState.Pause.ALL;
    }

    public void resume() {
        state.pause = EngineState.Pause.NONE;
    }

    /**
     * Clears the prefix cache if no request has a block.
     *
     * @param preempts whether running requests are preempted first, starting with the last one
     * @param preempted receives the preempted requests
     * @return true if the cache was cleared
     */
    public boolean resetPrefixCache(boolean preempts, List<LiveRequest> preempted) {
        settle();
        if (preempts) {
            for (int i = state.running.size() - 1; i >= 0; i--) {
                LiveRequest request = state.running.remove(i);
                state.preempt(request, true);
                preempted.add(request);
            }
        }
        return cache.reset();
    }

    /** Returns true if another step is due. */
    public boolean hasRequests() {
        return state.hasRequests();
    }

    /** Returns the running requests in order of admission. */
    public List<LiveRequest> running() {
        return state.running;
    }

    /** Returns the waiting requests, the first one to run first. */
    public List<LiveRequest> waiting() {
        return state.waiting.ordered();
    }

    /** Returns the waiting requests that have blocks; before 0.31, the requests that were skipped. */
    public List<LiveRequest> skipped() {
        return state.skipped.ordered();
    }

    /** Returns the request to run next if there are requests that are not running. */
    public LiveRequest firstWaiting() {
        return (state.waiting.isEmpty() ? state.skipped : state.waiting).first();
    }

    /** Returns the number of requests that are not running. */
    public int waitingCount() {
        return state.waiting.size() + state.skipped.size();
    }

    /** Updates the state of all requests. */
    void settle() {
        if (inStep != null) {
            inStep.settle();
        }
    }

    /** Plans a step. {@code throttles} defers prefills while other requests decode. */
    public void schedule(boolean throttles, StepPlan plan) {
        state.step++;
        plan.begin(state.step);
        cache.beginStep();
        state.encoders.beginStep();
        boolean isPaused = state.pause == EngineState.Pause.ALL;
        StepBudget budget = new StepBudget(
                isPaused ? 0 : settings.tokens().scheduled(),
                settings.tokens().batched(),
                settings.speculation().draftSlots(settings.rules()));
        budget.defers = (throttles || isWithinInterval()) && isDrained && hasDecode();
        budget.longPrefill = longPrefill();
        if (inStep != null) {
            inStep.plan(plan, budget);
            if (plan.inStep() > 0 && settings.asyncScheduling()) {
                plan.awaits(state.step - settings.stepDistance());
            }
        }
        runningPass.run(plan, budget);
        boolean admits = settings.rules().hasHolderQueue()
                ? state.pause != EngineState.Pause.ALL
                : state.pause == EngineState.Pause.NONE;
        boolean isPrefill = budget.hasPrompt;
        if (plan.preempted().isEmpty() && admits) {
            isPrefill |= waitingPass.run(plan, budget);
            if (!budget.defers) {
                isDrained = state.isDrained();
            }
        }
        working += plan.total() > 0 ? 1 : 0;
        lastPrefill = isPrefill ? working : lastPrefill;
        IntList copies = cache.takeCopies();
        if (!copies.isEmpty()) {
            plan.copies(copies);
        }
        advance(plan);
        if (!copies.isEmpty()) {
            state.free(copies);
        }
    }

    /** Returns true if a prefill has to wait, because the last one was too few steps ago. */
    private boolean isWithinInterval() {
        int interval = settings.pacing().prefillInterval();
        return interval > 1 && working + 1 - lastPrefill < interval;
    }

    /** Returns the maximum tokens of one request in a step, or 0 for no limit. */
    private int longPrefill() {
        int requests = state.running.size() + state.waiting.size() + state.skipped.size();
        int threshold = settings.pacing().longPrefillThreshold();
        if (threshold == 0 || (requests <= 1 && settings.rules().exemptsSingleRequest())) {
            return 0;
        }
        return settings.pacing().isThresholdAdaptive()
                ? Math.max(threshold, settings.tokens().batched() / Math.max(1, requests))
                : threshold;
    }

    private boolean hasDecode() {
        for (LiveRequest request : state.running) {
            if (!request.isChunk) {
                return true;
            }
        }
        return false;
    }

    private void advance(StepPlan plan) {
        int drafts = settings.speculation().tokensFor(plan.size());
        plan.draftsAsked(drafts);
        plan.skipsDrafts(settings.canSkipDrafts() && plan.inStep() == 0 && hasNoUseForDrafts(plan));
        for (int i = 0; i < plan.size(); i++) {
            LiveRequest request = plan.request(i);
            if (plan.tokens(i) == 1 && plan.computed(i) > 0) {
                request.decodedAt = state.step;
            }
            request.computed += plan.tokens(i);
            request.inFlight += plan.tokens(i);
            request.isChunk = request.hasPromptLeft();
            if (!request.isChunk) {
                state.prefills.remove(request);
            }
            plan.samples(i, !request.isChunk);
            if (request.placeholders > 0) {
                plan.awaits(request.sampledAt);
                plan.defersSampling(request.needsGrammar && !request.isChunk);
            }
            if (settings.asyncScheduling() && !request.isChunk) {
                request.sampledAt = state.step;
                request.placeholders += 1 + plan.drafts(i);
                request.drafts = drafts;
                if (settings.modelRunner() == 2) {
                    request.nextDecodeStep = state.step + settings.pipelineStages();
                }
            }
        }
        for (int i = 0; i < state.finished.size(); i++) {
            plan.finished().add(state.finished.get(i));
        }
        state.finished.clear();
        state.noteStep(plan);
    }

    /** Returns true if no request of a step continues with a decode that could verify drafts. */
    private static boolean hasNoUseForDrafts(StepPlan plan) {
        for (int i = 0; i < plan.size(); i++) {
            LiveRequest request = plan.request(i);
            int output = request.output + 1 + (request.placeholders > 0 ? 1 : 0);
            if (plan.computed(i) + plan.tokens(i) >= request.known() && output < request.maxOutput) {
                return false;
            }
        }
        return true;
    }

    /** Processes a step that has been executed. */
    public void update(StepPlan plan, StepResult result, StepResult.Listener outputs) {
        if (inStep != null) {
            inStep.leave(plan.step() + 1);
            if (!result.invalid.isEmpty()) {
                inStep.settle();
            }
        }
        results.update(plan, result, outputs);
    }

    /** Stores the proposed draft tokens of a step, which the next one verifies. */
    void storeDrafts(StepPlan plan) {
        for (int i = 0; i < plan.size(); i++) {
            LiveRequest request = plan.request(i);
            if (!request.status.isFinished() && !request.isChunk && !request.isBetweenTurns()) {
                request.drafts = state.drafting.proposed(request, plan.outputs(i), plan.draftsAsked());
            }
        }
    }

    /** Plans decoding requests in lockstep from now on, given the plans in flight. */
    LockstepDecoder together(Deque<StepPlan> inFlight) {
        inStep = new LockstepDecoder(state, inFlight);
        return inStep;
    }

    /** Returns the number of leading blocks that all requests share, by group. */
    public int[] commonBlocks() {
        int[] common = new int[cache.layout().groups().size()];
        if (!state.running.isEmpty() && settings.rules().sharesCommonPrefix()) {
            for (int i = 0; i < common.length; i++) {
                common[i] = cache.commonBlocks(state.running.get(0).blocks, i);
            }
        }
        return common;
    }
}
