package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.ServingOutcome.Ending;
import dev.stagesim.sim.serving.ServingOutcome.EngineFigures;
import dev.stagesim.sim.serving.ServingOutcome.WaveFigures;
import dev.stagesim.sim.serving.policy.KvConnector;
import dev.stagesim.sim.serving.policy.LiveRequest;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The event loop of one simulation.
 *
 * <p>Seven kinds of event, ordered by (time, creation) alone, drive arrivals, global and replica scheduling and the
 * pipeline stages; {@code specs/serving.md} has the table. About six events per batch and stage; nothing is allocated
 * per event once the queues have reached their greatest length.
 *
 * <p><b>Caveats:</b> one thread, one run; the same inputs give the same callbacks in the same order.
 */
public final class ServingSimulator {
    private static final int TYPE_BITS = 3;
    private static final int REPLICA_BITS = 20;
    private static final int STAGE_BITS = 9;
    private static final ServingRecorder[] NOBODY = {};

    /** Arrivals after which recorders are asked whether they are done. */
    private static final int FORGET_EVERY = 64;

    private final ServingSpec spec;
    private final RequestTrace trace;
    private final RequestStates states;
    final StepTimes steps;
    private final RecorderSet recorders;
    final BatchPool pool;
    final BatchPolicy[] replicas;
    private final int[] inFlight;
    final StageQueues stages;

    /** Replicas whose first pipeline stage waits for sampled tokens. */
    private final boolean[] isHeld;

    private final @Nullable Waves waves;
    private final GlobalScheduler global;
    private final IntDeque globalQueue = new IntDeque();

    /** Replicas that the requests of the present event went to. */
    private final PlacedOn placedOn;

    private final EventQueue queue;
    private final BatchEnd batchEnd;
    private final Arrivals arrivals;

    /** Whether batches may follow one another without events for what comes at one time: nobody hears of those, nor acts between them. */
    private boolean fuses;

    /** The time from which on others may act, so that no batch ends without an event then. */
    private double horizon = Double.NEGATIVE_INFINITY;

    private final StepsAlone alone;

    /** Whether batches that are planned go to the stage without events. */
    private boolean isAlone;

    final DoubleUnaryOperator stretch;

    private final long[] eventCounts = new long[EventType.values().length];
    long nextBatch;
    private long endedBatches;
    private long endedTokens;
    private long restarts;
    private int arrived;
    double now;
    private int eventRequest;
    private long eventBatch;
    private boolean fromQueue;

    private ServingSimulator(
            ServingSpec spec,
            Arrivals arrivals,
            RequestStates states,
            StepTimes steps,
            MemoryPlan plan,
            DoubleUnaryOperator stretch,
            boolean isStepByStep,
            IntFunction<@Nullable KvConnector> connectors,
            ServingRecorder[] recorders) {
        RequestTrace trace = arrivals.trace();
        this.stretch = stretch;
        this.spec = spec;
        this.trace = trace;
        this.states = states;
        this.steps = steps;
        this.recorders = new RecorderSet(recorders);
        this.pool = new BatchPool(() -> ReplicaScheduler.newCohort(spec, states));
        int count = spec.cluster().replicas();
        this.batchEnd = new BatchEnd(states, this.recorders);
        this.replicas = new BatchPolicy[count];
        for (int i = 0; i < count; i++) {
            replicas[i] = policy(plan, isStepByStep, connectors.apply(i));
        }
        int together = spec.cluster().lockStep();
        this.waves = together > 1 ? new Waves(together, spec.cluster().prefillInterval(), replicas) : null;
        this.inFlight = new int[count];
        this.placedOn = new PlacedOn(count, spec.has(Accident.HASHED_ORDER));
        this.stages = new StageQueues(count, spec.cluster().pipelineStages());
        this.isHeld = new boolean[count];
        this.global = new GlobalScheduler(spec, replicas);
        this.queue = new EventQueue(trace.size());
        this.arrivals = arrivals;
        alone = new StepsAlone(this, states, this.recorders);
        fuses = waves == null
                && this.recorders.events.length == 0
                && spec.cluster().pipelineStages() == 1
                && (replicas[0].plansAtOnce() || replicas[0].depth() == 1);
    }

    private BatchPolicy policy(MemoryPlan plan, boolean isStepByStep, @Nullable KvConnector connector) {
        if (spec.scheduler() instanceof SchedulerSpec.VllmV1 engine) {
            return new EnginePolicy(spec, engine, plan, states, recorders, this::restarted, isStepByStep, connector);
        }
        return spec.scheduler() instanceof SchedulerSpec.Sglang engine
                ? new SglangPolicy(engine, plan, states, recorders, this::restarted, isStepByStep)
                : spec.scheduler().scheduler(new ReplicaScheduler.Parts(spec, plan, states, pool, this::restarted));
    }

    /**
     * Simulates until all requests are done, the time limit passes, or nothing can go on.
     *
     * @throws StageException when the model does not fit the cluster's memory
     */
    public static ServingOutcome run(
            ServingSpec spec, RequestTrace trace, OperatorTimes times, ServingRecorder... recorders) {
        return run(spec, trace, times, false, recorders);
    }

    /** The same with every step of an engine planned by itself, which must come to the same. */
    static ServingOutcome run(
            ServingSpec spec,
            RequestTrace trace,
            OperatorTimes times,
            boolean isStepByStep,
            ServingRecorder... recorders) {
        MemoryPlan plan = MemoryPlan.of(spec);
        RequestStates states = new RequestStates(trace);
        Arrivals arrivals = new Arrivals(trace);
        StepTimes steps = new StepTimes(spec, times);
        return new ServingSimulator(
                        spec, arrivals, states, steps, plan, usual -> usual, isStepByStep, i -> null, recorders)
                .loop();
    }

    /**
     * A simulation whose requests come while it runs: {@link #arrive} and {@link #step} drive it.
     *
     * @param places as many requests as there can be at a time; what the trace says of them is replaced as they come
     * @param steps may be those of other simulations of an equal specification
     * @param stretch asked for each execution of a batch on a stage: the seconds that it takes in place of the usual ones
     * @param connectors where keys and values of each replica go to or come from; null for nowhere
     */
    public static ServingSimulator online(
            ServingSpec spec,
            RequestStates places,
            StepTimes steps,
            MemoryPlan plan,
            DoubleUnaryOperator stretch,
            IntFunction<@Nullable KvConnector> connectors,
            ServingRecorder... recorders) {
        Arrivals none = Arrivals.none(places.trace());
        return new ServingSimulator(spec, none, places, steps, plan, stretch, false, connectors, recorders);
    }

    /** A request that others made the place for enters a replica, at a time like that of {@link #arrive}. */
    public void place(int request, int replica, double at) {
        states.renew(request);
        replicas[replica].enqueue(request);
        if (waves != null) {
            waves.arrived(replica);
        }
        wake(replica, at);
    }

    /** Keys and values of a request have come to a replica, or have been taken from it, at such a time. */
    public void moved(LiveRequest request, boolean isHere, int replica, double at) {
        ((EnginePolicy) replicas[replica]).moved(request, isHere);
        wake(replica, at);
    }

    private void wake(int replica, double at) {
        advanceTo(at);
        create(now, EventType.REPLICA_SCHEDULE, replica, 0, 0);
    }

    /** Seconds that the decodes of a batch would have taken without its prompts. */
    public double decodesAlone(Batch batch) {
        return steps.decodesAlone(batch.step);
    }

    /** Time of the next event; infinite when there is none. */
    public double nextTime() {
        return queue.isEmpty() ? Double.POSITIVE_INFINITY : queue.nextTime();
    }

    /** Time of the last event. */
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

    /** Handles all events before a time up to which nothing comes from outside. */
    public void runBefore(double limit) {
        horizon = limit;
        while (nextTime() < limit) {
            step();
        }
        horizon = Double.NEGATIVE_INFINITY;
    }

    /** A request arrives, not before {@link #now} and not after {@link #nextTime}; its place has been filled. */
    void arrive(int request, double at) {
        advanceTo(at);
        eventCounts[EventType.REQUEST_ARRIVAL.code()]++;
        requestArrival(request);
    }

    /**
     * A request is given up, not before {@link #now} and not after {@link #nextTime}: it leaves at once, or when the batch it is
     * in ends.
     *
     * @param replica where it was placed, -1 when it was not yet
     */
    public void withdraw(int request, int replica, double at) {
        advanceTo(at);
        if (replica < 0) {
            states.set(request, RequestStates.WITHDRAWN);
        } else if (replicas[replica].withdraw(request)) {
            global.changed(replica);
            recorders.withdrawn(request, now);
            recorders.sampleMemory(replica, replicas[replica], now);
            // what it held may let another one in
            create(now, EventType.REPLICA_SCHEDULE, replica, 0, 0);
        }
    }

    RequestStates states() {
        return states;
    }

    /** Whether a replica has no request, and no memory is held on it. */
    public boolean isIdle(int replica) {
        return replicas[replica].idle() && replicas[replica].allocatedBlocks() == 0;
    }

    private ServingOutcome loop() {
        double limit = spec.timeLimitSeconds();
        horizon = limit <= 0 ? Double.POSITIVE_INFINITY : horizon;
        boolean expired = false;
        try {
            while (!expired && !isServed() && next()) {
                expired = limit > 0 && now > limit;
                handle();
            }
        } catch (NoOutputException e) {
            return outcome(Ending.NO_OUTPUT, Optional.of(e.problem()));
        } catch (OutOfBlocksException e) {
            return outcome(Ending.OUT_OF_BLOCKS, Optional.of(StuckReport.outOfBlocks(e)));
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

    /** Whether nothing is left but steps without requests. */
    private boolean isServed() {
        return waves != null && batchEnd.completed() == trace.size();
    }

    /** Moves to the next event: the next arrival, or the least of the queue. */
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
            eventCounts[EventType.REQUEST_ARRIVAL.code()]++;
            requestArrival(arrivals.take());
            log(id, EventType.REQUEST_ARRIVAL, -1, -1, before);
            return;
        }
        fromQueue = false;
        long payload = queue.payload();
        EventType type = EventType.ofCode((int) payload & ((1 << TYPE_BITS) - 1));
        int replica = (int) (payload >>> TYPE_BITS) & ((1 << REPLICA_BITS) - 1);
        int stage = (int) (payload >>> (TYPE_BITS + REPLICA_BITS)) & ((1 << STAGE_BITS) - 1);
        int slot = (int) (payload >>> (TYPE_BITS + REPLICA_BITS + STAGE_BITS));
        if (type == EventType.BATCH_STAGE_END && fuses && now < otherTime()) {
            isAlone = true;
            alone.run(replica, pool.get(slot), otherTime());
            isAlone = false;
            return;
        }
        eventCounts[type.code()]++;
        long id = queue.id();
        switch (type) {
            case GLOBAL_SCHEDULE -> globalSchedule(slot);
            case REPLICA_SCHEDULE -> replicaSchedule(replica);
            case BATCH_STAGE_ARRIVAL -> batchStageArrival(replica, stage, slot);
            case REPLICA_STAGE_SCHEDULE -> replicaStageSchedule(replica, stage);
            case BATCH_STAGE_END -> batchStageEnd(replica, stage, slot);
            case BATCH_END -> batchEnd(replica, slot);
            default -> throw new IllegalStateException("arrivals are not queued");
        }
        log(id, type, replica, stage, before);
    }

    /** Time of the first thing that happens besides, from now on. */
    private double otherTime() {
        double other = queue.isEmpty() ? horizon : Math.min(horizon, queue.nextTime());
        return arrivals.left() ? Math.min(other, arrivals.time()) : other;
    }

    /** Goes on to a time, without an event. */
    void advanceTo(double at) {
        now = at;
        queue.advanceTo(at);
    }

    void count(EventType type, int events) {
        eventCounts[type.code()] += events;
    }

    /** Counts the events of steps with so many requests that ran without them. */
    void countSteady(int count, int size) {
        count(EventType.BATCH_STAGE_END, count);
        count(EventType.REPLICA_STAGE_SCHEDULE, 2 * count);
        count(EventType.BATCH_END, count);
        count(EventType.REPLICA_SCHEDULE, count);
        count(EventType.BATCH_STAGE_ARRIVAL, count);
        endedBatches += count;
        endedTokens += (long) count * size;
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
        if (arrived++ % FORGET_EVERY == 0) {
            recorders.forgetDone();
        }
        eventRequest = request;
        for (ServingRecorder recorder : recorders.all) {
            recorder.requestArrived(request, now);
        }
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

    /** Places the requests that wait; {@code ready} is one more than the request that is ready now, 0 for none. */
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
            placedOn.add(replica);
            for (ServingRecorder recorder : recorders.all) {
                recorder.requestAssigned(request, replica, now);
            }
        }
        placedOn.drain(replica -> create(now, EventType.REPLICA_SCHEDULE, replica, 0, 0));
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
            scheduler.putsOffPrompts = waves != null && waves.putsOffPrompts(replica);
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
            if (scheduler.plansAtOnce()) {
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
        if (isAlone) {
            eventCounts[EventType.BATCH_STAGE_ARRIVAL.code()]++;
            eventCounts[EventType.REPLICA_STAGE_SCHEDULE.code()]++;
            stages.append(batch.replica, 0, batch.slot);
        } else {
            create(now, EventType.BATCH_STAGE_ARRIVAL, batch.replica, 0, batch.slot);
        }
        for (ServingRecorder recorder : recorders.formed) {
            recorder.batchScheduled(batch, now);
        }
    }

    private void batchStageArrival(int replica, int stage, int slot) {
        eventBatch = pool.get(slot).id;
        stages.append(replica, stage, slot);
        create(now, EventType.REPLICA_STAGE_SCHEDULE, replica, stage, 0);
    }

    private void replicaStageSchedule(int replica, int stage) {
        if (waves != null && stage == 0) {
            startGroup(waves, replica);
            return;
        }
        if (stage == 0 && awaitsTokens(replica)) {
            return;
        }
        int slot = stages.start(replica, stage);
        if (slot >= 0) {
            Batch batch = pool.get(slot);
            steps.compute(batch, states);
            start(batch, stage, stretch.applyAsDouble(batch.step.totalSeconds(isLast(stage))));
        }
    }

    /**
     * True if the first stage has to wait: its next batch reads tokens that an earlier batch, now in a later stage, has not
     * sampled yet. Without pipeline stages the earlier batch has always left the only stage.
     */
    private boolean awaitsTokens(int replica) {
        if (spec.cluster().pipelineStages() == 1) {
            return false;
        }
        int slot = stages.next(replica, 0);
        isHeld[replica] = slot >= 0 && !replicas[replica].isReady(pool.get(slot));
        return isHeld[replica];
    }

    /** Starts the first stage of a step on all engines of a group, once all of them have come to it. */
    private void startGroup(Waves group, int replica) {
        if (!group.group(replica).allMatch(engine -> stages.canStart(engine, 0) && !awaitsTokens(engine))) {
            return;
        }
        Batch[] batches = group.group(replica)
                .mapToObj(engine -> pool.get(stages.start(engine, 0)))
                .toArray(Batch[]::new);
        int count = spec.cluster().pipelineStages();
        double waits = steps.together(batches, count);
        StepTimes.Step step = batches[0].step;
        group.started(batches, step.totalSeconds(false) * (count - 1) + step.totalSeconds(true), waits);
        double seconds = stretch.applyAsDouble(step.totalSeconds(isLast(0)));
        for (Batch batch : batches) {
            start(batch, 0, seconds);
        }
    }

    /** Who hears of a batch; of one without requests nobody does. */
    private static ServingRecorder[] listeners(Batch batch, ServingRecorder[] all) {
        return batch.size == 0 ? NOBODY : all;
    }

    private boolean isLast(int stage) {
        return stage == spec.cluster().pipelineStages() - 1;
    }

    private void start(Batch batch, int stage, double seconds) {
        eventBatch = batch.id;
        tellStart(batch, stage);
        create(now + seconds, EventType.BATCH_STAGE_END, batch.replica, stage, batch.slot);
    }

    void tellStart(Batch batch, int stage) {
        if (stage == 0) {
            batch.startedAt = now;
        }
        batchEnd.stageScheduled(batch, now);
        for (ServingRecorder recorder : listeners(batch, recorders.started)) {
            recorder.stageStarted(batch, stage, now, steps.mfuPercent(batch.step, isLast(stage)));
        }
    }

    void endStage(Batch batch, int stage) {
        stages.stop(batch.replica, stage);
        boolean last = isLast(stage);
        double total = batch.step.totalSeconds(last);
        double model = batch.step.modelSeconds(last);
        batchEnd.stageEnded(batch, now, total, model);
        for (ServingRecorder recorder : listeners(batch, recorders.stageEnded)) {
            recorder.stageEnded(batch, stage, now, total, model);
        }
    }

    private void batchStageEnd(int replica, int stage, int slot) {
        Batch batch = pool.get(slot);
        eventBatch = batch.id;
        endStage(batch, stage);
        create(now, EventType.REPLICA_STAGE_SCHEDULE, replica, stage, 0);
        if (isLast(stage)) {
            create(now, EventType.BATCH_END, replica, 0, slot);
        } else {
            create(now, EventType.BATCH_STAGE_ARRIVAL, replica, stage + 1, slot);
        }
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
        if (isHeld[replica]) {
            create(now, EventType.REPLICA_STAGE_SCHEDULE, replica, 0, 0);
        }
        if (waves != null) {
            if (waves.ended(replica)) {
                eventCounts[EventType.REPLICA_SCHEDULE.code()]++;
                waves.group(replica).forEach(this::plan);
            }
        } else if (replicas[replica].plansAtOnce()) {
            eventCounts[EventType.REPLICA_SCHEDULE.code()]++;
            replicaSchedule(replica);
        } else {
            create(now, EventType.REPLICA_SCHEDULE, replica, 0, 0);
        }
    }

    void endBatch(int replica, Batch batch) {
        inFlight[replica]--;
        endedBatches++;
        endedTokens += batch.totalTokens;
        replicas[replica].end(batch, now, batchEnd);
        boolean kept = replicas[replica].takeBack(batch);
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
        restarts++;
        recorders.restarted(request, time);
    }

    /** Why not everything is done although there is no event left; empty when it is. */
    private Optional<Problem> stuck() {
        for (int replica = 0; replica < replicas.length; replica++) {
            Optional<Problem> problem = replicas[replica].stuck(spec, replica);
            if (problem.isPresent()) {
                return problem;
            }
        }
        if (!globalQueue.isEmpty() || !stages.idle()) {
            throw new IllegalStateException("requests are on their way although there is no event left");
        }
        return Optional.empty();
    }

    /** What engines with a prefix cache did so far; empty where there are none. */
    public Optional<EngineFigures> figures() {
        return Arrays.stream(replicas)
                .flatMap(replica -> replica.figures().stream())
                .reduce(EngineFigures::plus);
    }

    /** What engines that share experts did so far; empty where each runs by itself. */
    public Optional<WaveFigures> waveFigures() {
        return Optional.ofNullable(waves).map(Waves::figures);
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
                EventType.counts(eventCounts),
                arrived,
                batchEnd.completed(),
                endedBatches,
                endedTokens,
                restarts,
                states,
                figures(),
                waveFigures());
    }
}
