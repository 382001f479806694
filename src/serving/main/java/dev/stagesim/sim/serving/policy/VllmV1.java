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
 * vLLM's V1 scheduler: every step gives running requests the tokens they need and admits waiting ones with what is left.
 *
 * <p>There is no phase of prompts and none of outputs: a request needs what it knows beyond what is computed. Computed
 * tokens advance when a step is planned, not when it ends, so several steps can be in flight.
 */
public final class VllmV1 {
    private final EngineState state;
    private final VllmSettings settings;
    private final PagedBlocks cache;
    private final RunningPass runningPass;
    private final WaitingPass waitingPass;
    private final BatchResults results;
    private final Set<LiveRequest> received = new LinkedHashSet<>();
    private @Nullable InStep inStep;
    private boolean isDrained = true;

    public VllmV1(VllmSettings settings, PagedBlocks cache, Drafting drafting, @Nullable KvConnector connector) {
        this.settings = settings;
        this.cache = cache;
        state = new EngineState(settings, cache, drafting, connector);
        StepCuts cuts = new StepCuts(state);
        runningPass = new RunningPass(state, cuts);
        waitingPass = new WaitingPass(state, cuts, received);
        results = new BatchResults(state, cuts, received);
    }

    public VllmSettings settings() {
        return settings;
    }

    /** Takes a request in; one that needs a grammar waits until {@link #grammarReady}. */
    public LiveRequest add(RequestSpec spec, boolean needsGrammar) {
        LiveRequest request = new LiveRequest(spec, cache.open(spec), needsGrammar);
        (needsGrammar ? state.skipped : state.waiting).add(request);
        return request;
    }

    /** Takes in the first turn of a session, whose prompt {@link #follow} extends. */
    public LiveRequest begin(RequestSpec spec) {
        LiveRequest request = add(spec, false);
        request.isResumable = true;
        return request;
    }

    /**
     * Extends a session by a turn, whose prompt begins with all tokens before it; it goes on at once, or when its output ends.
     *
     * @param isResumable whether more turns follow
     */
    public void follow(LiveRequest session, RequestSpec next, boolean isResumable) {
        state.follow(session, next, isResumable);
    }

    /** The grammar of a request has been compiled. */
    public void grammarReady(LiveRequest request) {
        request.isReady = true;
    }

    /** A request that has not ended. */
    public LiveRequest find(int index) {
        return Stream.of(state.running, waiting(), skipped())
                .flatMap(List::stream)
                .filter(request -> request.spec.index() == index)
                .findFirst()
                .orElseThrow();
    }

    /** Ends a request at once; no effect on one that has ended. */
    public void abort(LiveRequest request) {
        if (request.status.isFinished()) {
            return;
        }
        settle();
        boolean isLoading = request.status == Status.WAITING_FOR_REMOTE_KVS && !received.remove(request);
        state.remove(request);
        if (isLoading) {
            // The load cannot be called off: its blocks stay taken until it has arrived.
            request.status = Status.ABORTED;
            state.finished.add(request.spec.index());
        } else {
            state.finish(request, Status.ABORTED);
        }
    }

    /** Stops admitting requests; running ones go on. */
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
     * Forgets the prefix cache if no request holds a block.
     *
     * @param preempts whether running requests are preempted first, the last one first
     * @param preempted takes those that were
     * @return whether it was forgotten
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

    /** Whether another step is due. */
    public boolean hasRequests() {
        return state.hasRequests();
    }

    /** Running requests in order of admission. */
    public List<LiveRequest> running() {
        return state.running;
    }

    /** Requests that wait, first to go first. */
    public List<LiveRequest> waiting() {
        return state.waiting.ordered();
    }

    /** Requests that wait for something else than room, or were passed over. */
    public List<LiveRequest> skipped() {
        return state.skipped.ordered();
    }

    /** Number of requests that are not running. */
    public int waitingCount() {
        return state.waiting.size() + state.skipped.size();
    }

    /** Brings all requests up to date. */
    void settle() {
        if (inStep != null) {
            inStep.settle();
        }
    }

    /** Plans a step. {@code throttles} asks to put off prompt work while others decode. */
    public void schedule(boolean throttles, StepPlan plan) {
        state.step++;
        plan.begin(state.step);
        cache.beginStep();
        state.encoders.beginStep();
        boolean isPaused = state.pause == EngineState.Pause.ALL;
        StepBudget budget = new StepBudget(
                isPaused ? 0 : settings.maxNumScheduledTokens(),
                settings.maxNumBatchedTokens(),
                settings.speculation().draftSlots());
        budget.defers = throttles && isDrained && hasDecode();
        if (inStep != null) {
            inStep.plan(plan, budget);
            if (plan.inStep() > 0 && settings.asyncScheduling()) {
                plan.awaits(state.step - settings.stepsApart());
            }
        }
        runningPass.run(plan, budget);
        if (plan.preempted().isEmpty() && state.pause == EngineState.Pause.NONE) {
            waitingPass.run(plan, budget);
            if (!budget.defers) {
                isDrained = state.waiting.isEmpty();
            }
        }
        IntList copies = cache.takeCopies();
        if (!copies.isEmpty()) {
            plan.copies(copies);
        }
        advance(plan);
        if (!copies.isEmpty()) {
            state.free(copies);
        }
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
        for (int i = 0; i < plan.size(); i++) {
            LiveRequest request = plan.request(i);
            if (plan.tokens(i) == 1 && plan.computed(i) > 0) {
                request.decodedAt = state.step;
            }
            request.computed += plan.tokens(i);
            request.inFlight += plan.tokens(i);
            request.isChunk = request.hasPromptLeft();
            plan.samples(i, !request.isChunk);
            if (request.placeholders > 0) {
                plan.awaits(request.sampledAt);
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

    /** Processes a step that has been executed. */
    public void update(StepPlan plan, StepResult result, Outputs outputs) {
        if (inStep != null) {
            inStep.leave(plan.step() + 1);
            if (!result.invalid.isEmpty()) {
                inStep.settle();
            }
        }
        results.update(plan, result, outputs);
    }

    /** Stores the drafts that were made after a step, for the next one to verify. */
    public void storeDrafts(StepPlan plan) {
        for (int i = 0; i < plan.size(); i++) {
            LiveRequest request = plan.request(i);
            if (!request.status.isFinished() && !request.isChunk && !request.isBetweenTurns()) {
                request.drafts = state.drafting.proposed(request, plan.outputs(i), plan.draftsAsked());
            }
        }
    }

    /** Plans requests that decode in step together from now on, given the plans in flight. */
    InStep together(Deque<StepPlan> inFlight) {
        inStep = new InStep(state, inFlight);
        return inStep;
    }

    /** Leading blocks that all requests share, by group. */
    public int[] commonBlocks() {
        int[] common = new int[cache.layout().groups().size()];
        if (!state.running.isEmpty()) {
            for (int i = 0; i < common.length; i++) {
                common[i] = cache.commonBlocks(state.running.get(0).holding, i);
            }
        }
        return common;
    }
}
