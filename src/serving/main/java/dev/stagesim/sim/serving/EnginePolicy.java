package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.sim.serving.ServingOutcome.EngineFigures;
import dev.stagesim.sim.serving.memory.CacheEvents;
import dev.stagesim.sim.serving.memory.CacheRetention;
import dev.stagesim.sim.serving.memory.KvLayout;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.policy.EngineLoop;
import dev.stagesim.sim.serving.policy.InStep;
import dev.stagesim.sim.serving.policy.KvConnector;
import dev.stagesim.sim.serving.policy.LiveRequest;
import dev.stagesim.sim.serving.policy.StepPlan;
import dev.stagesim.sim.serving.policy.StepResult;
import dev.stagesim.sim.serving.policy.VllmSettings;
import dev.stagesim.sim.serving.policy.VllmV1;
import dev.stagesim.sim.serving.request.RequestSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * vLLM's V1 engine as a replica: steps are planned ahead of their results, and requests keep paged blocks.
 *
 * <p>The engine waits for the oldest step in flight once there are as many as it allows, or nothing more to plan. A step
 * without tokens takes a place like any other, and ends as soon as it is the oldest.
 */
final class EnginePolicy extends PlannedAhead<LiveRequest> {
    private final RequestTrace trace;
    private final VllmV1 scheduler;
    private final EngineLoop loop;
    private final PagedBlocks cache;
    private final @Nullable InStep inStep;
    private final @Nullable AdapterSlots adapters;
    private final @Nullable KvConnector connector;

    /** For each step in flight whether it has tokens. */
    private final IntDeque flights = new IntDeque();

    private final int blocks;
    private final int patience;
    /** Whether blocks that only one request can find need no keys until it looks for them. */
    private final boolean keepsUnseen;

    /** Requests that go on, by the number of their last turn so far. */
    private final Map<Integer, LiveRequest> sessions = new LinkedHashMap<>();

    private StepResult transfers = new StepResult();
    private StepPlan processed = new StepPlan();
    private long processedStep;
    private boolean isWaiting;
    private int emptyTurns;
    private AdmissionLimit limit = AdmissionLimit.NONE;

    EnginePolicy(
            ServingSpec spec,
            SchedulerSpec.VllmV1 engine,
            MemoryPlan plan,
            RequestStates states,
            RecorderSet recorders,
            ReplicaScheduler.Restarts restarts,
            boolean isStepByStep,
            @Nullable KvConnector connector) {
        super(states, new EngineAccounts(states, recorders, restarts));
        this.trace = states.trace();
        this.connector = connector;
        VllmSettings settings = engine.settings(spec.maxTokens(), spec.cluster().pipelineStages());
        int total = plan.followedBlocks(spec.cluster());
        cache = new PagedBlocks(new KvLayout(
                engine.groups(),
                total,
                engine.cachesPrefixes(),
                0,
                KvLayout.DENSE,
                spec.maxTokens(),
                settings.tokensInFlight(),
                engine.speculation().readsStates(),
                engine.speculation().draftReach()));
        CacheRetention retention = connector == null ? null : connector.retention();
        if (retention != null) {
            cache.retain(retention);
        }
        CacheEvents events = connector == null ? null : connector.events();
        if (events != null) {
            cache.watch(events);
        }
        if (isStepByStep) {
            cache.askAlways();
        }
        scheduler = new VllmV1(
                settings, cache, engine.acceptance().drafting(states.size(), states.trace()::number), connector);
        loop = new EngineLoop(scheduler);
        keepsUnseen = !isStepByStep && connector == null;
        inStep = isStepByStep ? null : loop.together();
        blocks = total - 1;
        adapters = engine.lora().slots() > 0 ? new AdapterSlots(engine.lora()) : null;
        patience = 2 * settings.batchesInFlight() + 2;
    }

    @Override
    int depth() {
        return scheduler.settings().batchesInFlight();
    }

    @Override
    void add(int request) {
        emptyTurns = 0;
        RequestSpec spec = new RequestSpec(
                request,
                Integer.toString(request),
                trace.prefillTokens(request),
                RequestSpec.Output.of(trace.decodeTokens(request)),
                new RequestSpec.Urgency(trace.priority(request), trace.arrivalSeconds(request)),
                new RequestSpec.Identity(trace.tokens(request), 0, trace.adapter(request), true, List.of()));
        boolean isFollowed = trace.isFollowed(request);
        LiveRequest session = sessions.remove(trace.before(request));
        if (session != null) {
            scheduler.follow(session, spec, isFollowed);
        } else {
            session = isFollowed ? scheduler.begin(spec) : scheduler.add(spec, false);
        }
        if (connector != null) {
            connector.queued(session, cached(session));
        }
        if (isFollowed) {
            sessions.put(request, session);
        } else if (keepsUnseen && trace.sharesNothing()) {
            cache.alone(session.holding());
        }
    }

    private IntSupplier cached(LiveRequest request) {
        return () -> {
            int tokens = cache.find(request.holding(), request.known()).tokens();
            cache.noMatch();
            return tokens;
        };
    }

    @Override
    void form(Batch batch, double now) {
        while (mayPlan() && loop.hasWork()) {
            StepPlan plan = loop.plan(putsOffPrompts);
            int total = plan == null ? 0 : plan.total();
            if (plan != null) {
                accounts.planned(plan, now);
                flights.addLast(total);
                batch.awaitedStep = plan.awaited();
                limit = limit(total);
            }
            boolean isEmpty = total == 0 && (plan == null || plan.finished().isEmpty());
            emptyTurns = isEmpty && runsNothing() ? emptyTurns + 1 : 0;
            isWaiting = loop.due(plan) != null;
            if (plan != null && total > 0) {
                if (inStep != null) {
                    accounts.fill(batch, inStep, plan.inStep());
                }
                accounts.fill(batch, plan);
                if (adapters != null) {
                    batch.extraSeconds = adapters.seconds(batch, trace);
                }
                return;
            }
        }
    }

    /** Whether another step can be planned now; ends steps without tokens that are waited for. */
    private boolean mayPlan() {
        if (emptyTurns > patience && scheduler.hasRequests()) {
            return false;
        }
        if (isWaiting && flights.first() == 0) {
            process();
        }
        return !isWaiting;
    }

    private boolean runsNothing() {
        for (int i = 0; i < flights.size(); i++) {
            if (flights.get(i) > 0) {
                return false;
            }
        }
        return true;
    }

    private AdmissionLimit limit(int tokens) {
        if (scheduler.waitingCount() == 0) {
            return AdmissionLimit.NONE;
        }
        VllmSettings settings = scheduler.settings();
        if (scheduler.running().size() >= settings.maxNumSeqs()) {
            return AdmissionLimit.BATCH_CAP;
        }
        return tokens >= settings.maxNumScheduledTokens() ? AdmissionLimit.TOKEN_BUDGET : AdmissionLimit.KV_BLOCKS;
    }

    private StepPlan process() {
        flights.removeFirst();
        isWaiting = false;
        accounts.begin();
        StepPlan plan = loop.process(transfers, accounts);
        boolean isUsed = !transfers.received.isEmpty() || !transfers.sent.isEmpty();
        transfers = isUsed ? new StepResult() : transfers;
        processedStep = plan.step();
        return plan;
    }

    void moved(LiveRequest request, boolean isHere) {
        emptyTurns = 0;
        (isHere ? transfers.received : transfers.sent).add(request);
    }

    @Override
    void process(Batch batch) {
        while (flights.first() == 0) {
            // steps without tokens end as soon as they are the oldest
            process();
        }
        processed = process();
    }

    @Override
    boolean isReady(Batch batch) {
        return batch.awaitedStep <= processedStep;
    }

    @Override
    long steadySteps() {
        return inStep == null || adapters != null || connector != null || isAnyLeaving() ? 0 : inStep.steady();
    }

    @Override
    long planSteady() {
        return inStep != null && inStep.advance() ? inStep.kvTokens() : -1;
    }

    @Override
    void endSteady(int count, int requests) {
        loop.passed(count);
        accounts.decoded((long) count * requests);
    }

    @Override
    void report(Batch batch, double now) {
        accounts.report(batch, processed.inStep(), processed.givenBack(), now);
    }

    @Override
    LiveRequest abort(int number) {
        loop.settle();
        LiveRequest request = scheduler.find(number);
        scheduler.abort(request);
        return request;
    }

    @Override
    int inFlight(LiveRequest request) {
        return request.inFlight();
    }

    @Override
    int number(LiveRequest request) {
        return request.spec().index();
    }

    @Override
    AdmissionLimit limit() {
        return limit;
    }

    @Override
    int waitingCount() {
        return scheduler.waitingCount();
    }

    @Override
    long allocatedBlocks() {
        return (long) blocks - cache.free();
    }

    /** Blocks that can be used at all: one stands for "none". */
    @Override
    long totalBlocks() {
        return blocks;
    }

    @Override
    boolean idle() {
        return !loop.hasWork();
    }

    @Override
    void settle() {
        loop.settle();
    }

    @Override
    Optional<EngineFigures> figures() {
        return Optional.of(accounts.figures(adapters == null ? 0 : adapters.loads()));
    }

    @Override
    Optional<Problem> stuck(ServingSpec spec, int replica) {
        if (idle()) {
            return Optional.empty();
        }
        List<LiveRequest> waiting = scheduler.waiting().isEmpty() ? scheduler.skipped() : scheduler.waiting();
        int request = waiting.get(0).spec().index();
        int free = cache.free();
        boolean isShared = free < blocks;
        Problem problem = Problem.of(
                "workload error",
                "request " + request,
                "never finishes: nothing runs, and with its " + trace.prefillTokens(request)
                        + " prompt tokens it does not fit "
                        + (isShared
                                ? "what is left of the KV cache, " + free + " of " + blocks
                                        + " blocks: other sessions keep theirs until their last turn"
                                : "the " + blocks + " free blocks of the KV cache"));
        String larger = "raise scheduler.gpu_memory_utilization or cluster.tensor_parallel_size";
        return Optional.of(problem.hint(
                isShared
                        ? larger + ", or leave simulation.resumable_requests out: blocks of idle sessions can then be"
                                + " taken"
                        : larger));
    }
}
