package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.core.IntDeque;
import dev.stagesim.sim.core.SimulatedTime;
import dev.stagesim.sim.serving.ServingOutcome.Ending;
import dev.stagesim.sim.serving.policy.KvConnector;
import dev.stagesim.sim.serving.policy.KvRequest;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.BatchPolicy;
import dev.stagesim.sim.serving.replica.BatchPool;
import dev.stagesim.sim.serving.replica.DeadlockReport;
import dev.stagesim.sim.serving.replica.EngineCounters;
import dev.stagesim.sim.serving.replica.EventType;
import dev.stagesim.sim.serving.replica.OutOfBlocksException;
import dev.stagesim.sim.serving.replica.RecorderSet;
import dev.stagesim.sim.serving.replica.ReplicaScheduler;
import dev.stagesim.sim.serving.replica.RequestAccounting;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.SchedulingPolicies;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The event loop of one simulation.
 *
 * <p>There are seven kinds of events, in order of (time, creation): arrivals, global and replica scheduling, and the
 * pipeline stages. {@code specs/serving.md} contains the table. A batch takes about six events per stage. Nothing is
 * allocated per event after the queues have reached their maximum length.
 *
 * <p><b>Caveats:</b> one thread, one run; equal inputs give equal callbacks in the same order.
 */
public final class ServingSimulator {
    private static final int TYPE_BITS = 3;
    private static final int REPLICA_BITS = 20;
    private static final int STAGE_BITS = 9;

    /** Number of arrivals between two checks for recorders that are done. */
    private static final int DONE_CHECK_INTERVAL = 64;

    /** Number of arrivals between two reports of settled requests. */
    private static final int SETTLED_INTERVAL = 1024;

    private final ServingSpec spec;
    private final RequestTrace trace;
    private final RequestStates states;
    final StepTimes steps;
    final RecorderSet recorders;
    final BatchPool pool;
    final BatchPolicy[] replicas;
    private final int[] inFlight;
    final StageQueues stages;

    final @Nullable DataParallelWaves waves;
    private final GlobalScheduler global;
    private final IntDeque globalQueue = new IntDeque();

    /** Replicas that received requests in the current event. */
    private final ReplicaWakeOrder wakeOrder;

    private final EventQueue queue;
    final RequestAccounting accounting;
    private final Arrivals arrivals;

    /**
     * True if the events of one step can be processed inline, without the queue: no recorder observes them and nothing else
     * is scheduled between them.
     */
    private boolean canInlineEvents;

    /** Earliest time of an external event; steps that end at or after it must go through the event queue. */
    private double horizon = Double.NEGATIVE_INFINITY;

    final StageExecutor executor;
    private final InlineStepRunner inlineRunner;

    /** True while planned batches go to the stage without events. */
    private boolean runsInline;

    final DoubleUnaryOperator durationScaler;

    final SimulationCounters counters = new SimulationCounters();
    long nextBatch;
    double now;
    private int eventRequest;
    /** Number of leading requests whose states are known to be final. */
    private int settled;
    /** Number of leading requests that were complete when batch {@link #settledFrom} was the next one. */
    private int completed;

    private long settledFrom;
    long eventBatch;
    private boolean fromQueue;

    private ServingSimulator(
            ServingSpec spec,
            Arrivals arrivals,
            RequestStates states,
            StepTimes steps,
            MemoryPlan plan,
            DoubleUnaryOperator durationScaler,
            boolean isStepByStep,
            IntFunction<@Nullable KvConnector> connectors,
            ServingRecorder[] recorders) {
        RequestTrace trace = arrivals.trace();
        this.durationScaler = durationScaler;
        this.spec = spec;
        this.trace = trace;
        this.states = states;
        this.steps = steps;
        this.recorders = new RecorderSet(arrivals.hasTurns() ? with(recorders, arrivals) : recorders);
        this.pool = new BatchPool(() -> ReplicaScheduler.newCohort(spec, states));
        int count = spec.cluster().replicas();
        this.accounting = new RequestAccounting(states, this.recorders);
        this.replicas = new BatchPolicy[count];
        for (int i = 0; i < count; i++) {
            replicas[i] = SchedulingPolicies.create(
                    new ReplicaScheduler.Parts(spec, plan, states, pool, this::restarted),
                    this.recorders,
                    isStepByStep,
                    connectors.apply(i));
        }
        this.waves = spec.cluster().lockStep() > 1 ? DataParallelWaves.of(spec, replicas) : null;
        this.inFlight = new int[count];
        this.wakeOrder = new ReplicaWakeOrder(count, spec.has(VidurQuirk.HASHED_ORDER));
        this.stages = new StageQueues(count, spec.cluster().pipelineStages());
        this.executor = new StageExecutor(this, count, spec.cluster().pipelineStages());
        this.global = new GlobalScheduler(spec, replicas);
        this.queue = new EventQueue(trace.size());
        this.arrivals = arrivals;
        inlineRunner = new InlineStepRunner(this, states, this.recorders);
        canInlineEvents = waves == null
                && this.recorders.events.length == 0
                && spec.cluster().pipelineStages() == 1
                && (replicas[0].plansImmediately() || replicas[0].depth() == 1);
    }

    private static ServingRecorder[] with(ServingRecorder[] recorders, ServingRecorder last) {
        ServingRecorder[] all = Arrays.copyOf(recorders, recorders.length + 1);
        all[recorders.length] = last;
        return all;
    }

    /**
     * Simulates until all requests are complete, the time limit passes, or no event is left.
     *
     * @throws StageException if the model does not fit the memory of the cluster
     */
    public static ServingOutcome run(
            ServingSpec spec, RequestTrace trace, OperatorTimes times, ServingRecorder... recorders) {
        return run(new StepTimes(spec, times), trace, recorders);
    }

    /** Overload for step times that are possibly shared with earlier simulations of an equal specification. */
    public static ServingOutcome run(StepTimes steps, RequestTrace trace, ServingRecorder... recorders) {
        return run(steps, trace, false, recorders);
    }

    /** Overload that plans every step of an engine individually if {@code isStepByStep}; the results must be equal. */
    static ServingOutcome run(
            ServingSpec spec,
            RequestTrace trace,
            OperatorTimes times,
            boolean isStepByStep,
            ServingRecorder... recorders) {
        return run(new StepTimes(spec, times), trace, isStepByStep, recorders);
    }

    private static ServingOutcome run(
            StepTimes steps, RequestTrace trace, boolean isStepByStep, ServingRecorder... recorders) {
        ServingSpec spec = steps.spec();
        MemoryPlan plan = MemoryPlan.of(spec);
        RequestStates states = RequestStates.inOrder(trace);
        Arrivals arrivals = new Arrivals(trace);
        return new ServingSimulator(
                        spec, arrivals, states, steps, plan, usual -> usual, isStepByStep, i -> null, recorders)
                .loop();
    }

    /**
     * Creates a simulation that receives its requests while it runs, through {@link #arrive} and {@link #step}.
     *
     * @param places slots for the maximum number of concurrent requests; the trace entry of a slot is replaced on arrival
     * @param steps step times, possibly shared with other simulations of an equal specification
     * @param durationScaler maps the duration of each execution of a batch on a stage to the actual duration, in seconds
     * @param connectors KV connector of each replica, or null if it has none
     */
    public static ServingSimulator online(
            ServingSpec spec,
            RequestStates places,
            StepTimes steps,
            MemoryPlan plan,
            DoubleUnaryOperator durationScaler,
            IntFunction<@Nullable KvConnector> connectors,
            ServingRecorder... recorders) {
        Arrivals none = Arrivals.none(places.trace());
        return new ServingSimulator(spec, none, places, steps, plan, durationScaler, false, connectors, recorders);
    }

    /** Adds a request to a replica that the caller selected, under the time constraints of {@link #arrive}. */
    public void place(int request, int replica, double at) {
        states.renew(request);
        replicas[replica].enqueue(request);
        if (waves != null) {
            waves.arrived(replica);
        }
        wake(replica, at);
    }

    /** Reports that the KV cache of a request has arrived at a replica or was moved away from it. */
    public void moved(KvRequest request, boolean isHere, int replica, double at) {
        advanceTo(at);
        if (replicas[replica].moved(request, isHere)) {
            recorders.sampleMemory(replica, replicas[replica], now);
        }
        wake(replica, at);
    }

    private void wake(int replica, double at) {
        advanceTo(at);
        create(now, EventType.REPLICA_SCHEDULE, replica, 0, 0);
    }

    /** Returns the seconds that the decodes of a batch would have taken without its prompts. */
    public double decodeOnlySeconds(Batch batch) {
        return steps.decodeOnlySeconds(batch.step);
    }

    /** Returns the time of the next event, or infinity if there is none. */
    public double nextTime() {
        return queue.isEmpty() ? Double.POSITIVE_INFINITY : queue.nextTime();
    }

    /** Returns the time of the last event. */
    public double now() {
        return now;
    }

    /** Handles the next event, which must exist. */
    public void step() {
        if (!next()) {
            throw new IllegalStateException("there is no next event");
        }
        handle();
    }

    /** Handles all events before {@code limit}. There is no external event before that time. */
    public void runBefore(double limit) {
        horizon = limit;
        while (nextTime() < limit) {
            step();
        }
        horizon = Double.NEGATIVE_INFINITY;
    }

    /** Adds a request, not before {@link #now} and not after {@link #nextTime}. Its slot must be filled. */
    void arrive(int request, double at) {
        advanceTo(at);
        counters.count(EventType.REQUEST_ARRIVAL, 1);
        requestArrival(request);
    }

    /**
     * Withdraws a request, not before {@link #now} and not after {@link #nextTime}. It leaves immediately, or at the end of
     * its current batch.
     *
     * @param replica replica of the request, or -1 if it was not placed yet
     */
    public void withdraw(int request, int replica, double at) {
        advanceTo(at);
        if (replica < 0) {
            states.set(request, RequestStates.WITHDRAWN);
        } else if (replicas[replica].withdraw(request)) {
            global.changed(replica);
            recorders.withdrawn(request, now);
            recorders.sampleMemory(replica, replicas[replica], now);
            // its memory may admit another request
            create(now, EventType.REPLICA_SCHEDULE, replica, 0, 0);
        }
    }

    RequestStates states() {
        return states;
    }

    /** Returns true if a replica has no requests and no memory is in use. */
    public boolean isIdle(int replica) {
        return replicas[replica].idle() && replicas[replica].allocatedBlocks() == 0;
    }

    private ServingOutcome loop() {
        double limit = spec.timeLimitSeconds();
        horizon = limit <= 0 ? Double.POSITIVE_INFINITY : limit;
        boolean expired = false;
        try {
            while (!expired && !isServed() && next()) {
                expired = limit > 0 && now > limit;
                handle();
            }
        } catch (NoOutputException e) {
            return outcome(Ending.NO_OUTPUT, Optional.of(e.problem()));
        } catch (OutOfBlocksException e) {
            return outcome(Ending.OUT_OF_BLOCKS, Optional.of(DeadlockReport.outOfBlocks(e)));
        } catch (StageException e) {
            return outcome(Ending.NOT_COVERED, Optional.of(e.problems().get(0)));
        }
        if (expired) {
            return outcome(Ending.TIME_LIMIT, Optional.empty());
        }
        Optional<Problem> stuck = isServed() ? Optional.empty() : stuck();
        if (stuck.isPresent()) {
            return outcome(Ending.STUCK, stuck);
        }
        return outcome(Ending.FINISHED, Optional.empty());
    }

    /** Returns true if only steps without requests are left. */
    private boolean isServed() {
        return waves != null && accounting.completed() == trace.size();
    }

    /** Advances to the next event: the next arrival or the first event of the queue. */
    private boolean next() {
        if (arrivals.left() && (queue.isEmpty() || !queue.nextBefore(arrivals.time(), arrivals.id()))) {
            now = arrivals.time();
            queue.advanceTo(now);
            return true;
        }
        if (queue.isEmpty()) {
            return false;
        }
        queue.take();
        now = queue.time();
        fromQueue = true;
        return true;
    }

    private void handle() {
        long before = queue.lastId();
        eventRequest = -1;
        eventBatch = -1;
        if (!fromQueue) {
            long id = arrivals.id();
            counters.count(EventType.REQUEST_ARRIVAL, 1);
            int request = arrivals.take();
            if (arrivals.isClosed()) {
                states.arrivedAt[request] = now;
            }
            requestArrival(request);
            if (counters.arrived % SETTLED_INTERVAL == 0) {
                reportSettled();
            }
            log(id, EventType.REQUEST_ARRIVAL, -1, -1, before);
            return;
        }
        fromQueue = false;
        long payload = queue.payload();
        EventType type = EventType.ofCode((int) payload & ((1 << TYPE_BITS) - 1));
        int replica = (int) (payload >>> TYPE_BITS) & ((1 << REPLICA_BITS) - 1);
        int stage = (int) (payload >>> (TYPE_BITS + REPLICA_BITS)) & ((1 << STAGE_BITS) - 1);
        int slot = (int) (payload >>> (TYPE_BITS + REPLICA_BITS + STAGE_BITS));
        if (type == EventType.BATCH_STAGE_END && canInlineEvents && now < otherTime()) {
            runsInline = true;
            inlineRunner.run(replica, pool.get(slot), otherTime());
            runsInline = false;
            return;
        }
        counters.count(type, 1);
        long id = queue.id();
        switch (type) {
            case GLOBAL_SCHEDULE -> globalSchedule(slot);
            case REPLICA_SCHEDULE -> replicaSchedule(replica);
            case BATCH_STAGE_ARRIVAL -> executor.arrive(replica, stage, slot);
            case REPLICA_STAGE_SCHEDULE -> executor.schedule(replica, stage);
            case BATCH_STAGE_END -> executor.end(replica, stage, slot);
            case BATCH_END -> batchEnd(replica, slot);
            default -> throw new IllegalStateException("arrivals are not queued");
        }
        log(id, type, replica, stage, before);
    }

    /** Reports the leading requests that are complete and in no batch in flight. */
    private void reportSettled() {
        if (pool.firstInUse(nextBatch) < settledFrom) {
            return;
        }
        if (completed > settled) {
            settled = completed;
            recorders.settled(settled, states);
        }
        while (completed < trace.size() && states.completed(completed)) {
            completed++;
        }
        settledFrom = nextBatch;
    }

    /** Returns the time of the next event that is not part of the current step. */
    private double otherTime() {
        double other = queue.isEmpty() ? horizon : Math.min(horizon, queue.nextTime());
        return arrivals.left() ? Math.min(other, arrivals.time()) : other;
    }

    /** Returns the end of a sequence of inline steps after a batch has ended, which may admit requests of a closed loop. */
    double inlineEnd(double until) {
        return arrivals.isClosed() && arrivals.left() ? Math.min(until, arrivals.time()) : until;
    }

    /** Advances the clock to {@code at} without processing an event. */
    void advanceTo(double at) {
        now = at;
        queue.advanceTo(at);
    }

    private void log(long id, EventType type, int replica, int stage, long before) {
        for (ServingRecorder recorder : recorders.events) {
            int created = (int) (queue.lastId() - before);
            recorder.eventHandled(now, id, type, replica, stage, eventBatch, eventRequest, before + 1, created);
        }
    }

    void create(double at, EventType type, int replica, int stage, int slot) {
        long payload = ((((long) slot << STAGE_BITS | stage) << REPLICA_BITS) | replica) << TYPE_BITS | type.code();
        queue.add(at, payload);
    }

    private void requestArrival(int request) {
        if (counters.arrived++ % DONE_CHECK_INTERVAL == 0) {
            recorders.forgetDone();
        }
        eventRequest = request;
        states.open(request);
        recorders.arrived(request, now);
        if (trace.decodeTokens(request) == 0) {
            throw new NoOutputException(request);
        }
        double delay = spec.timing().arrivalSeconds(trace.prefillTokens(request));
        if (delay > 0) {
            create(now + delay, EventType.GLOBAL_SCHEDULE, 0, 0, request + 1);
        } else {
            globalQueue.addLast(request);
            create(now, EventType.GLOBAL_SCHEDULE, 0, 0, 0);
        }
    }

    /**
     * Places the waiting requests. {@code ready} is one more than the request that becomes ready now, or 0 if there is none.
     */
    private void globalSchedule(int ready) {
        if (ready > 0) {
            globalQueue.addLast(ready - 1);
        }
        if (globalQueue.isEmpty()) {
            return;
        }
        globalQueue.sortBy(states.arrivedAt);
        while (!globalQueue.isEmpty()) {
            int request = globalQueue.removeFirst();
            if (states.withdrawn(request)) {
                recorders.withdrawn(request, now);
                continue;
            }
            int replica = global.place();
            replicas[replica].enqueue(request);
            if (waves != null) {
                waves.arrived(replica);
            }
            wakeOrder.add(replica);
            for (ServingRecorder recorder : recorders.all) {
                recorder.requestAssigned(request, replica, now);
            }
        }
        wakeOrder.drain(replica -> create(now, EventType.REPLICA_SCHEDULE, replica, 0, 0));
    }

    private void replicaSchedule(int replica) {
        if (waves == null || !waves.begins(replica)) {
            plan(replica);
        } else {
            waves.group(replica).forEach(this::plan);
        }
    }

    private boolean plansMore(int replica) {
        return waves == null ? inFlight[replica] < replicas[replica].depth() : waves.plans(replica);
    }

    void plan(int replica) {
        BatchPolicy scheduler = replicas[replica];
        boolean formed = false;
        while (plansMore(replica)) {
            Batch batch = pool.take();
            scheduler.defersPrefills = waves != null && waves.defersPrefills(replica);
            scheduler.form(batch, now);
            if (batch.size == 0 && waves == null) {
                pool.release(batch);
                break;
            }
            batch.replica = replica;
            batch.scheduledAt = now;
            inFlight[replica]++;
            if (waves != null) {
                waves.planned(replica, batch.size == 0);
                if (batch.size == 0) {
                    batch.id = -1;
                    steps.computeDummy(batch);
                    create(now, EventType.BATCH_STAGE_ARRIVAL, replica, 0, batch.slot);
                    continue;
                }
            }
            formed = true;
            batch.id = nextBatch++;
            if (scheduler.plansImmediately()) {
                steps.compute(batch, states);
            }
            send(batch);
        }
        global.changed(replica);
        if (formed) {
            recorders.sampleMemory(replica, replicas[replica], now);
        }
        recorders.sampleAdmission(replica, scheduler, now);
    }

    private void send(Batch batch) {
        if (runsInline) {
            counters.count(EventType.BATCH_STAGE_ARRIVAL, 1);
            counters.count(EventType.REPLICA_STAGE_SCHEDULE, 1);
            stages.append(batch.replica, 0, batch.slot);
        } else {
            create(now, EventType.BATCH_STAGE_ARRIVAL, batch.replica, 0, batch.slot);
        }
        recorders.batchScheduled(batch, now);
    }

    private void batchEnd(int replica, int slot) {
        Batch batch = pool.get(slot);
        eventBatch = batch.id;
        if (batch.size == 0) {
            inFlight[replica]--;
            pool.release(batch);
        } else {
            endBatch(replica, batch);
        }
        if (executor.isWaiting(replica)) {
            create(now, EventType.REPLICA_STAGE_SCHEDULE, replica, 0, 0);
        }
        if (waves != null) {
            if (waves.ended(replica)) {
                counters.count(EventType.REPLICA_SCHEDULE, 1);
                waves.group(replica).forEach(this::plan);
            }
        } else if (replicas[replica].plansImmediately()) {
            counters.count(EventType.REPLICA_SCHEDULE, 1);
            replicaSchedule(replica);
        } else {
            create(now, EventType.REPLICA_SCHEDULE, replica, 0, 0);
        }
    }

    void endBatch(int replica, Batch batch) {
        inFlight[replica]--;
        counters.batches++;
        counters.tokens += batch.totalTokens;
        replicas[replica].end(batch, now, accounting);
        arrivals.completed(accounting.completed(), now);
        boolean kept = replicas[replica].requeue(batch);
        global.changed(replica);
        while (!replicas[replica].left.isEmpty()) {
            recorders.withdrawn(replicas[replica].left.removeFirst(), now);
        }
        recorders.sampleMemory(replica, replicas[replica], now);
        if (!kept) {
            pool.release(batch);
        }
    }

    private void restarted(int request, double time) {
        counters.restarts++;
        recorders.restarted(request, time);
    }

    /** Returns the problem if requests are left although there is no event; empty if all are complete. */
    private Optional<Problem> stuck() {
        for (int replica = 0; replica < replicas.length; replica++) {
            Optional<Problem> problem = replicas[replica].stuck(spec, replica);
            if (problem.isPresent()) {
                return problem;
            }
        }
        if (!globalQueue.isEmpty() || !stages.idle()) {
            throw new IllegalStateException("requests are in flight although there is no event left");
        }
        return Optional.empty();
    }

    /** Returns the current metrics of engines with a prefix cache; empty if there are none. */
    public Optional<EngineCounters> figures() {
        return Arrays.stream(replicas)
                .flatMap(replica -> replica.figures().stream())
                .reduce(EngineCounters::plus);
    }

    /** Returns the current metrics of engines in lockstep; empty if engines are independent. */
    public Optional<WaveCounters> waveFigures() {
        return Optional.ofNullable(waves).map(DataParallelWaves::figures);
    }

    private ServingOutcome outcome(Ending ending, Optional<Problem> problem) {
        return SimulatedTime.isRepresentable(now)
                ? ended(ending, problem)
                : ended(Ending.NOT_COVERED, Optional.of(SimulatedTime.tooLong()));
    }

    private ServingOutcome ended(Ending ending, Optional<Problem> problem) {
        pool.dissolveCohorts();
        for (BatchPolicy replica : replicas) {
            replica.settle();
        }
        return new ServingOutcome(
                ending,
                problem,
                now,
                counters.events(),
                counters.arrived,
                accounting.completed(),
                counters.batches,
                counters.tokens,
                counters.restarts,
                states,
                figures(),
                waveFigures());
    }
}
