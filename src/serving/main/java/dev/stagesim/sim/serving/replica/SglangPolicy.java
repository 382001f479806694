package dev.stagesim.sim.serving.replica;

import dev.stagesim.model.Problem;
import dev.stagesim.sim.serving.policy.KvConnector;
import dev.stagesim.sim.serving.policy.KvRequest;
import dev.stagesim.sim.serving.policy.Sglang;
import dev.stagesim.sim.serving.policy.SglangRequest;
import dev.stagesim.sim.serving.policy.SglangStep;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * SGLang as a replica: while a step runs, the next one is planned without its result.
 *
 * <p>A request that ends is in one more step, and its result is dropped. If nothing can be planned, the engine waits for the
 * step in flight, even if requests arrive.
 */
final class SglangPolicy extends AsyncSchedulingPolicy<SglangRequest> {
    /**
     * Maximum number of attempts to plan a step: one can free slots of requests that have ended, or memory, that the next
     * one needs.
     */
    private static final int TURNS = 3;

    private final Sglang scheduler;
    private final int page;
    private final long pages;
    private SglangStep processed = new SglangStep();
    private boolean isBlocked;

    SglangPolicy(
            SchedulerSpec.Sglang engine,
            MemoryPlan plan,
            RequestStates states,
            RecorderSet recorders,
            ReplicaScheduler.Restarts restarts,
            boolean isStepByStep,
            @Nullable KvConnector connector) {
        super(states, new EngineAccounts(states, recorders, restarts));
        page = engine.limits().blockSize();
        pages = plan.numBlocks();
        scheduler = new Sglang(
                engine.settings(),
                (int) Math.min(pages * page, Integer.MAX_VALUE),
                engine.maxRunning(plan),
                connector == null ? null : connector.sglang());
        if (!isStepByStep) {
            scheduler.enableLockstep();
        }
    }

    @Override
    public int depth() {
        return scheduler.settings().stepsInFlight();
    }

    @Override
    void add(int request) {
        RequestTrace trace = states.trace();
        scheduler.add(request, trace.prefillTokens(request), trace.decodeTokens(request), trace.tokens(request));
    }

    @Override
    public void form(Batch batch, double now) {
        for (int turn = 0; turn < TURNS && !isBlocked && scheduler.hasRequests(); turn++) {
            SglangStep step = scheduler.plan();
            accounts.planned(step, now);
            if (!step.isEmpty()) {
                accounts.fill(batch, step);
                return;
            }
            isBlocked = scheduler.stepsInFlight() > 0;
        }
    }

    @Override
    void process(Batch batch) {
        isBlocked = false;
        accounts.begin();
        processed = scheduler.process(request -> accounts.output(request.index(), 1, request.isFinished()));
    }

    @Override
    void report(Batch batch, double now) {
        accounts.report(batch, processed.inStep(), processed.madeIndividual(), now);
    }

    @Override
    public boolean moved(KvRequest request, boolean isHere) {
        scheduler.moved((SglangRequest) request);
        return !isHere;
    }

    @Override
    SglangRequest abort(int number) {
        SglangRequest request = scheduler.find(number);
        scheduler.abort(request);
        return request;
    }

    @Override
    int inFlight(SglangRequest request) {
        return request.inFlight();
    }

    @Override
    int number(SglangRequest request) {
        return request.index();
    }

    @Override
    AdmissionLimit limit() {
        return switch (scheduler.limit()) {
            case NONE -> AdmissionLimit.NONE;
            case REQUESTS -> AdmissionLimit.BATCH_CAP;
            case TOKENS -> AdmissionLimit.TOKEN_BUDGET;
            case MEMORY -> AdmissionLimit.KV_BLOCKS;
        };
    }

    @Override
    public int waitingCount() {
        return scheduler.waitingCount();
    }

    /** Returns the pages that running requests need; all other cached pages can be evicted. */
    @Override
    public long allocatedBlocks() {
        return scheduler.usedTokens() / page;
    }

    @Override
    long totalBlocks() {
        return pages;
    }

    @Override
    public boolean idle() {
        return outstanding() == 0;
    }

    @Override
    public void settle() {}

    @Override
    public Optional<EngineCounters> figures() {
        return Optional.of(accounts.figures(0));
    }

    @Override
    public Optional<Problem> stuck(ServingSpec spec, int replica) {
        return idle()
                ? Optional.empty()
                : Optional.of(Problem.of(
                                "workload error",
                                "replica " + replica,
                                "nothing runs, and none of the " + scheduler.waitingCount()
                                        + " waiting requests fits the " + pages * page + " tokens of the KV cache")
                        .hint("raise scheduler.mem_fraction_static or cluster.tensor_parallel_size"));
    }
}
