package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.BlockAllocation;
import dev.stagesim.sim.serving.memory.Match;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.policy.LiveRequest.Status;
import dev.stagesim.sim.serving.settings.Speculation;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The second half of a step: admits waiting requests until one does not fit. */
final class WaitingPass {
    /** The result for one request. */
    private enum Visit {
        ADMITTED,
        PASSED,
        STOP
    }

    private final EngineState state;
    private final VllmSettings settings;
    private final PagedBlocks cache;
    private final StepCuts cuts;
    private final Set<LiveRequest> received;
    private final List<LiveRequest> passed = new ArrayList<>();
    private final Set<Integer> adapters = new LinkedHashSet<>();
    private final VllmRules rules;
    private boolean hasPrompt;
    private boolean hasRunning;
    private boolean isPrefillAdmitted;

    WaitingPass(EngineState state, StepCuts cuts, Set<LiveRequest> received) {
        this.state = state;
        this.settings = state.settings;
        this.cache = state.cache;
        this.cuts = cuts;
        this.received = received;
        rules = settings.rules();
    }

    /** Admits requests. Returns true if one has prompt left to compute. */
    boolean run(StepPlan plan, StepBudget budget) {
        isPrefillAdmitted = false;
        if (state.waiting.isEmpty() && state.skipped.isEmpty()) {
            return false;
        }
        noteAdapters(plan);
        hasRunning = plan.size() > 0;
        hasPrompt = budget.hasPrompt;
        int streaming = state.streaming();
        while (budget.tokens > 0
                && budget.inputs > budget.draftSlots
                && state.running.size() + streaming < settings.maxRunning()) {
            @Nullable RequestQueue queue = queue();
            if (queue == null) {
                break;
            }
            LiveRequest request = queue.first();
            Visit visit = visit(request, queue, plan, budget);
            if (visit == Visit.STOP) {
                break;
            }
            if (visit == Visit.PASSED) {
                queue.removeFirst();
                state.defer(request);
                passed.add(request);
            }
        }
        if (!passed.isEmpty()) {
            requeue();
        }
        return isPrefillAdmitted;
    }

    /** Returns the requests that were passed over to the front of a queue. */
    private void requeue() {
        if (rules.hasHolderQueue()) {
            List<LiveRequest> holders =
                    passed.stream().filter(LiveRequest::holdsBlocks).toList();
            state.skipped.addFirst(holders);
            passed.removeAll(holders);
            state.waiting.addFirst(passed);
        } else {
            state.skipped.addFirst(passed);
        }
        passed.clear();
    }

    private void noteAdapters(StepPlan plan) {
        adapters.clear();
        if (settings.maxLoras() > 0 && rules.countsAllAdapters()) {
            state.running.forEach(this::noteAdapter);
        } else if (settings.maxLoras() > 0) {
            for (LiveRequest request : state.running.subList(0, state.inStep)) {
                if (request.isInLockstep && (state.step - request.joined) % settings.stepDistance() == 0) {
                    noteAdapter(request);
                }
            }
            for (int i = 0; i < plan.size(); i++) {
                noteAdapter(plan.request(i));
            }
        }
    }

    private void noteAdapter(LiveRequest request) {
        if (request.spec.identity().adapter() != 0) {
            adapters.add(request.spec.identity().adapter());
        }
    }

    private boolean exceedsAdapters(LiveRequest request) {
        int adapter = request.spec.identity().adapter();
        return settings.maxLoras() > 0
                && adapter != 0
                && adapters.size() >= settings.maxLoras()
                && !adapters.contains(adapter);
    }

    /** Returns the queue of the next request, or null if none may be admitted. */
    private @Nullable RequestQueue queue() {
        if (rules.hasHolderQueue()) {
            boolean mayStart = state.pause == EngineState.Pause.NONE && !state.waiting.isEmpty();
            return !state.skipped.isEmpty() ? state.skipped : mayStart ? state.waiting : null;
        }
        if (state.waiting.isEmpty() && state.skipped.isEmpty()) {
            return null;
        }
        if (!settings.byPriority()) {
            return state.skipped.isEmpty() ? state.waiting : state.skipped;
        }
        if (state.waiting.isEmpty()) {
            return state.skipped;
        }
        boolean isSkipped =
                !state.skipped.isEmpty() && RequestQueue.isSooner(state.skipped.first(), state.waiting.first());
        return isSkipped ? state.skipped : state.waiting;
    }

    private Visit visit(LiveRequest request, RequestQueue queue, StepPlan plan, StepBudget budget) {
        if (!isUnblocked(request) || (request.stale > 0 && !request.dropsStale) || exceedsAdapters(request)) {
            return Visit.PASSED;
        }
        int external = 0;
        int hit = 0;
        if (request.computed == 0) {
            Match match = cache.find(request.blocks, request.known());
            external = offered(request, match);
            if (external == KvConnector.LATER) {
                return Visit.PASSED;
            }
            hit = match.tokens();
        } else {
            cache.noMatch();
        }
        boolean loadsAsync = external > 0 && connector().loadsAsync(request);
        int start = request.computed + hit + external;
        int tokens = 0;
        if (!loadsAsync) {
            int wanted = tokens(request, start, budget);
            tokens = wanted <= 0 ? 0 : cuts.cutInputs(request, start, wanted);
            if (tokens <= 0) {
                return wanted > 0 && rules.passesOverBlockedPrefills() ? Visit.PASSED : Visit.STOP;
            }
        }
        boolean isPadded = tokens > request.known() - start;
        if (!grow(request, external, tokens, loadsAsync)) {
            return Visit.STOP;
        }
        if (external > 0) {
            connector().begin(request, external);
        }
        plan.addHit(request, hit);
        if (loadsAsync) {
            request.status = Status.WAITING_FOR_REMOTE_KVS;
            request.computed = start;
            state.prefills.add(request);
            return Visit.PASSED;
        }
        queue.removeFirst();
        admit(request, start, tokens, isPadded, plan, budget);
        return Visit.ADMITTED;
    }

    private KvConnector connector() {
        KvConnector connector = state.connector;
        if (connector == null) {
            throw new IllegalStateException("no connector");
        }
        return connector;
    }

    /**
     * Returns the tokens that the connector adds to the match, or LATER. A longer offer replaces the last part of the match.
     */
    private int offered(LiveRequest request, Match match) {
        @Nullable KvConnector connector = state.connector;
        if (connector == null) {
            return 0;
        }
        int alignment = cache.layout().alignment();
        int tail = match.tokens() % alignment;
        int external = connector.offer(request, match.tokens() - tail);
        if (rules.skipsConnectorToo() && !request.spec.identity().readsCache()) {
            return 0;
        }
        if (external > 0 && tail > 0) {
            if (external <= tail) {
                return 0;
            }
            cache.cutMatch(match.tokens() - tail);
        }
        return external;
    }

    private boolean isUnblocked(LiveRequest request) {
        switch (request.status) {
            case WAITING_FOR_GRAMMAR -> {
                if (!request.isReady) {
                    return false;
                }
                request.status = Status.WAITING;
            }
            case WAITING_FOR_REMOTE_KVS -> {
                if (!received.remove(request)) {
                    return false;
                }
                takeLoaded(request);
            }
            case WAITING_FOR_STREAM -> {
                return false;
            }
            default -> {}
        }
        return true;
    }

    private void takeLoaded(LiveRequest request) {
        if (request.computed == 0) {
            state.free(request);
        } else {
            cache.offer(request.blocks, request.computed, request.known());
            if (request.computed == request.known()) {
                request.computed--;
            }
        }
        request.hasFailedLoad = false;
        request.status = request.preemptions > 0 ? Status.PREEMPTED : Status.WAITING;
    }

    /** Returns the first tokens of a request, or 0 if it cannot be admitted now. */
    private int tokens(LiveRequest request, int start, StepBudget budget) {
        if (budget.defers && start < request.known() - 1) {
            return 0;
        }
        int tokens = request.known() - start;
        boolean isPadded = tokens == 1 && isPadded(start);
        if (isPadded) {
            // a single token among decodes is padded so that the batch stays uniform
            tokens = 1 + settings.speculation().tokens();
            if (tokens > budget.room() || start + tokens > cache.layout().maxModelLen()) {
                return 0;
            }
        }
        tokens = budget.capped(tokens);
        if (!settings.chunkedPrefill() && tokens > budget.room()) {
            return 0;
        }
        tokens = Math.min(tokens, budget.room());
        int cut = cuts.cutStates(request, start, tokens);
        boolean losesPadding = rules.padsAfterHits()
                && isPadded
                && cut > 0
                && cut != 1 + settings.speculation().tokens();
        return losesPadding ? 1 : cut;
    }

    /** Returns true if the only token of an admitted request is padded to the drafts of a step. */
    private boolean isPadded(int start) {
        Speculation speculation = settings.speculation();
        if (hasPrompt || speculation.tokens() == 0 || speculation.isDynamic()) {
            return false;
        }
        if (!rules.padsAfterHits()) {
            return hasRunning;
        }
        boolean hasRoom = start + 2 + speculation.tokens() <= cache.layout().maxModelLen();
        return hasRoom && (hasRunning || start > 0);
    }

    private boolean grow(LiveRequest request, int external, int tokens, boolean loadsAsync) {
        BlockAllocation growth = state.growth;
        growth.computed = request.computed;
        growth.external = external;
        growth.scheduled = tokens;
        growth.lookahead = loadsAsync ? 0 : settings.speculation().lookahead();
        growth.known = request.known();
        growth.inFlight = request.inFlight;
        growth.mustFitWhole = settings.reserveFullSequence();
        growth.watermark = state.running.isEmpty()
                ? 0
                : (int) (settings.watermark() * cache.layout().blocks());
        growth.reserved = loadsAsync ? reserved() : 0;
        growth.isDelayed = loadsAsync;
        return cache.grow(request.blocks, growth);
    }

    /** Returns the blocks that prompts in progress, and the first step of a loaded request, still need. */
    private int reserved() {
        int ahead = 0;
        if (rules.reservesSpeculativeStep() && settings.speculation().tokens() > 0) {
            ahead = 1 + settings.speculation().tokens() + settings.speculation().lookahead();
        }
        long reserved = cache.blocksOfStep(ahead);
        for (LiveRequest request : state.prefills) {
            reserved += cache.needWhole(request.blocks, request.computed, request.known(), ahead);
        }
        return (int) Math.min(reserved, Integer.MAX_VALUE);
    }

    private void admit(LiveRequest request, int start, int tokens, boolean isPadded, StepPlan plan, StepBudget budget) {
        boolean isNew = request.status == Status.WAITING;
        isPrefillAdmitted |= start < request.known() - 1;
        state.undefer(request);
        if (state.connector != null && start + tokens < request.known()) {
            state.prefills.add(request);
        }
        int drafts = isPadded ? tokens - (request.known() - start) : 0;
        plan.add(request, isNew ? StepPlan.Entry.NEW : StepPlan.Entry.RESUMED, tokens, start, drafts, isPadded);
        cuts.take(request, start, tokens);
        noteAdapter(request);
        state.running.add(request);
        request.isChunk = false;
        request.status = Status.RUNNING;
        request.computed = start;
        budget.tokens -= tokens;
        budget.inputs -= tokens + budget.draftSlots;
    }
}
