package dev.stagesim.sim.serving.replica;

import dev.stagesim.model.Problem;
import dev.stagesim.sim.core.IntDeque;
import dev.stagesim.sim.serving.memory.CacheEvents;
import dev.stagesim.sim.serving.memory.CacheRetention;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.policy.EngineLoop;
import dev.stagesim.sim.serving.policy.KvConnector;
import dev.stagesim.sim.serving.policy.KvRequest;
import dev.stagesim.sim.serving.policy.LiveRequest;
import dev.stagesim.sim.serving.policy.LockstepDecoder;
import dev.stagesim.sim.serving.policy.StepPlan;
import dev.stagesim.sim.serving.policy.StepResult;
import dev.stagesim.sim.serving.policy.VllmSettings;
import dev.stagesim.sim.serving.policy.VllmV1;
import dev.stagesim.sim.serving.request.RequestSpec;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * vLLM's V1 engine as a replica: it plans steps before the results of earlier ones are available, and its KV cache is paged.
 *
 * <p>The engine waits for the oldest step in flight if the maximum number of steps is in flight or if nothing more can be
 * planned. A step without tokens counts as a step in flight. It ends as soon as it is the oldest.
 */
public final class VllmPolicy extends AsyncSchedulingPolicy<LiveRequest> {
    private final RequestTrace trace;
    private final VllmV1 scheduler;
    private final EngineLoop loop;
    private final PagedBlocks cache;
    private final @Nullable LockstepDecoder inStep;
    private final @Nullable AdapterSlots adapters;
    private final @Nullable KvConnector connector;

    /** For each step in flight, 1 if it has tokens. */
    private final IntDeque flights = new IntDeque();

    private final int blocks;
    private final int patience;
    /** True if blocks that only one request can find get their keys only when that request looks them up. */
    private final boolean keepsUnseen;

    /** Sessions with further turns, by the number of their latest turn. */
    private final Map<Integer, LiveRequest> sessions = new LinkedHashMap<>();

    private StepResult transfers = new StepResult();
    private StepPlan processed = new StepPlan();
    private long processedStep;
    private boolean isWaiting;
    private int emptyTurns;
    private AdmissionLimit limit = AdmissionLimit.NONE;

    VllmPolicy(
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
        VllmSettings settings = engine.settings();
        int total = plan.followedBlocks(spec.cluster());
        cache = new PagedBlocks(
                settings.layout(engine.groups(), total, engine.cachesPrefixes(), spec.maxTokens(), connector != null));
        CacheRetention retention = connector == null ? null : connector.retention();
        if (retention != null) {
            cache.retain(retention);
        }
        CacheEvents events = connector == null ? null : connector.events();
        if (events != null) {
            cache.watch(events);
        }
        if (isStepByStep) {
            cache.disableFastPath();
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
    public int depth() {
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
                new RequestSpec.Urgency(trace.priority(request), states.arrivedAt(request)),
                new RequestSpec.Identity(trace.tokens(request), 0, trace.adapter(request), true, List.of()));
        boolean hasSuccessor = trace.hasSuccessor(request);
        LiveRequest session = sessions.remove(trace.before(request));
        if (session != null) {
            scheduler.follow(session, spec, hasSuccessor);
        } else {
            session = hasSuccessor ? scheduler.begin(spec) : scheduler.add(spec, false);
        }
        if (connector != null) {
            connector.queued(session, cached(session));
        }
        if (hasSuccessor) {
            sessions.put(request, session);
        } else if (keepsUnseen && trace.hasUniqueTokens()) {
            cache.alone(session.blocks());
        }
    }

    private IntSupplier cached(LiveRequest request) {
        return () -> {
            int tokens = cache.find(request.blocks(), request.known()).tokens();
            cache.noMatch();
            return tokens;
        };
    }

    @Override
    public void form(Batch batch, double now) {
        while (mayPlan() && loop.hasWork()) {
            StepPlan plan = loop.plan(defersPrefills);
            int total = plan == null ? 0 : plan.total();
            if (plan != null) {
                accounts.planned(plan, now);
                flights.addLast(total);
                batch.awaitedStep = plan.awaited();
                batch.skipsDrafts = plan.skipsDrafts();
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

    /** Returns true if another step can be planned now. Ends the oldest steps if they have no tokens. */
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
        if (scheduler.running().size() >= settings.maxRunning()) {
            return AdmissionLimit.BATCH_CAP;
        }
        return tokens >= settings.tokens().scheduled() && hasRoom()
                ? AdmissionLimit.TOKEN_BUDGET
                : AdmissionLimit.KV_BLOCKS;
    }

    /** Returns true if the cache has room for the next waiting request, and preemptions did not make it wait. */
    private boolean hasRoom() {
        LiveRequest next = scheduler.firstWaiting();
        return next.status() != LiveRequest.Status.PREEMPTED
                && cache.needWhole(next.blocks(), next.computed(), next.known(), 0) <= cache.free();
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

    @Override
    public boolean moved(KvRequest request, boolean isHere) {
        emptyTurns = 0;
        (isHere ? transfers.received : transfers.sent).add((LiveRequest) request);
        return false;
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
    public boolean isReady(Batch batch) {
        return batch.awaitedStep <= processedStep;
    }

    @Override
    public long steadySteps() {
        return inStep == null || adapters != null || connector != null || isAnyLeaving() ? 0 : inStep.steady();
    }

    @Override
    public long planSteady() {
        return inStep != null && inStep.advance() ? inStep.kvTokens() : -1;
    }

    @Override
    public void endSteady(int count, int requests) {
        loop.passed(count);
        accounts.decoded((long) count * requests);
    }

    @Override
    void report(Batch batch, double now) {
        accounts.report(batch, processed.inStep(), processed.madeIndividual(), now);
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
    public int waitingCount() {
        return scheduler.waitingCount();
    }

    @Override
    public long allocatedBlocks() {
        return (long) blocks - cache.free();
    }

    /** Returns the number of usable blocks; vLLM reserves one block as a null block. */
    @Override
    long totalBlocks() {
        return blocks;
    }

    @Override
    public boolean idle() {
        return !loop.hasWork();
    }

    @Override
    public void settle() {
        loop.settle();
    }

    @Override
    public Optional<EngineCounters> figures() {
        return Optional.of(accounts.figures(adapters == null ? 0 : adapters.loads()));
    }

    @Override
    public Optional<Problem> stuck(ServingSpec spec, int replica) {
        if (idle()) {
            return Optional.empty();
        }
        int request = scheduler.firstWaiting().spec().index();
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
