package dev.stagesim.feature.cluster.instance;

import dev.stagesim.feature.cluster.cache.KvTiers;
import dev.stagesim.feature.cluster.cache.SessionRetention;
import dev.stagesim.sim.core.Tournament;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.WaveCounters;
import dev.stagesim.sim.serving.memory.CacheEvents;
import dev.stagesim.sim.serving.memory.CacheRetention;
import dev.stagesim.sim.serving.metrics.DevicePower;
import dev.stagesim.sim.serving.policy.KvConnector;
import dev.stagesim.sim.serving.policy.KvRequest;
import dev.stagesim.sim.serving.policy.LiveRequest;
import dev.stagesim.sim.serving.policy.SglangConnector;
import dev.stagesim.sim.serving.policy.SglangRequest;
import dev.stagesim.sim.serving.replica.AdmissionLimit;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.EngineCounters;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One engine of the cluster. Records the timelines of its requests and its utilisation.
 *
 * <p>Request r has slot 2r for its prompt, and slot 2r + 1 if its output is generated on a decode instance.
 */
public final class Instance implements ServingRecorder, KvConnector, SglangConnector {
    /** Callbacks into the cluster. */
    public interface Events {
        /** Reports the end of a prefill. */
        void prefilled(int request, Instance instance);

        /** Reports the completion of a request on the instance. */
        void done(int request, Instance instance, boolean isLater);

        /** Requests a KV transfer into memory that the instance has allocated. */
        void requestKv(int request, int tokens, KvRequest receiver);

        /** Reports a read from lower cache tiers that ends at {@code end}. */
        void reads(Instance instance, LiveRequest request, double end);

        /** Returns the time of the cluster in seconds. */
        double now();

        /** Reports that the prefill instance can release a request without a transfer. */
        void prefillReleased(int request);
    }

    public static final int BUSY = 0;
    public static final int WAITING = 1;
    public static final int KV_USAGE = 2;
    public static final int RUNNING = 3;
    /** Number of open or draining instances of the pool; maintained by the fleet. */
    public static final int UP = 4;

    public static final int SIGNALS_PER_POOL = 5;
    private static final int OWN = 4;

    public final int number;
    public final PoolPlan pool;
    private @Nullable ServingSimulator engine;

    /** Lockstep group, or null if absent. */
    private final @Nullable LockstepGroup lockstep;

    /** Index of the replica in its lockstep group. */
    private final int replica;

    /** Factor on step times. */
    public double slowness = 1;

    /** Delay of the next step in seconds. It starts at {@code stallFrom}, or after the current step if that is NaN. */
    private double stall;

    private double stallFrom = Double.NaN;

    /** Tokens of prompts and transfers that wait for memory. */
    public double queuedTokens;

    /** Requests that are assigned to the instance. */
    public int present;

    private final RequestTimeline timeline;
    private final Events events;
    private final RequestStates states;
    private final @Nullable KvRequest[] senders;
    public final int firstSignal;
    private final ServingSpec spec;
    private final StepTimes times;
    private final int lastStage;

    /** Lower cache tiers, or null if absent. */
    public final @Nullable KvTiers tiers;

    /** Retention policy of the cache, or null if absent. */
    public final @Nullable SessionRetention retention;

    /** Listener of KV events, or null if absent. */
    private final @Nullable CacheEvents cacheListener;

    /** KV blocks of the cache. */
    public long blocks = 1;

    private double promptSeconds;
    private double promptTokens;
    private final PiecewiseConstantSignals timeSignals;

    /** Cumulative lengthening of steps by prefills, in seconds. */
    private double extra;

    /** Value of {@code extra} when the request in a slot started to decode or was preempted. */
    private final double[] mark;

    private final double[] evictedAt;
    /** Requests in batches that have no token yet. */
    private int awaiting;

    private final boolean isSglang;
    private @Nullable Signals signals;
    private int groupIndex;

    /** Requests that have started and are not done. */
    private int running;

    public int requests;
    public int preemptions;
    public long queriedTokens;
    public long hits;
    public long tokens;
    public double busy;
    final List<StepTotals> stepTotals = StepTotals.both();
    /** Time in batches in s, weighted by the power of the devices relative to their board power. */
    public double poweredSeconds;

    private final double[] powers;
    public double peakKvUsage;
    public double memoryWaitSeconds;
    private long pastLoads;
    private AdmissionLimit limit = AdmissionLimit.NONE;
    private double limitSince;

    /** State shared by all instances. */
    public record Shared(
            RequestTimeline timeline,
            Events events,
            RequestStates states,
            @Nullable KvRequest[] senders,
            BinnedTimeSeries series,
            double[] mark,
            double[] evictedAt) {
        /** Creates the state for the slots of a trace. */
        public static Shared of(
                RequestTimeline timeline,
                Events events,
                RequestTrace places,
                @Nullable KvRequest[] senders,
                BinnedTimeSeries series) {
            double[] evictedAt = new double[places.size()];
            Arrays.fill(evictedAt, -1);
            return new Shared(
                    timeline, events, new RequestStates(places), senders, series, new double[places.size()], evictedAt);
        }
    }

    /** Lower tiers, retention policy and KV event listener; null if absent. */
    public record Caches(
            @Nullable KvTiers tiers, @Nullable SessionRetention retention, @Nullable CacheEvents cacheListener) {}

    public Instance(
            int number,
            PoolPlan pool,
            int firstSignal,
            Shared shared,
            StepTimes times,
            Caches caches,
            @Nullable LockstepGroup lockstep) {
        this.lockstep = lockstep;
        tiers = caches.tiers();
        retention = caches.retention();
        cacheListener = caches.cacheListener();
        this.number = number;
        this.pool = pool;
        this.times = times;
        this.firstSignal = firstSignal;
        timeline = shared.timeline();
        events = shared.events();
        states = shared.states();
        senders = shared.senders();
        timeSignals = new PiecewiseConstantSignals(shared.series(), firstSignal, OWN);
        mark = shared.mark();
        evictedAt = shared.evictedAt();
        spec = times.spec();
        lastStage = spec.cluster().pipelineStages() - 1;
        powers = new double[lastStage + 1];
        isSglang = spec.scheduler() instanceof SchedulerSpec.Sglang;
        replica = lockstep == null ? 0 : lockstep.join(this);
    }

    /** Returns the KV connector, or null if the instance needs none. */
    @Nullable
    KvConnector connector() {
        boolean hands = pool.role() != PoolRole.BOTH || tiers != null || retention != null || cacheListener != null;
        return hands ? this : null;
    }

    /** Starts the engine with an empty cache. */
    public void begin() {
        if (retention != null) {
            retention.begin(() -> engine().now());
        }
        engine = lockstep == null
                ? ServingSimulator.online(
                        spec, states, times, MemoryPlan.of(spec), this::scaleStep, i -> connector(), this)
                : lockstep.begin(spec, states, times);
    }

    /** Places a request in the engine's queue. */
    public void place(int place, int prompt, double now) {
        queuedTokens += prompt;
        engine().place(place, replica, now);
    }

    public void withdraw(int place, double now) {
        engine().withdraw(place, replica, now);
    }

    /** Reports that the KV blocks of a request have arrived or have been taken. */
    public void moved(KvRequest request, boolean isHere, double now) {
        engine().moved(request, isHere, replica, now);
    }

    /** Updates the next event time in a tournament. */
    public void compareBy(Tournament next) {
        next.set((lockstep == null ? this : lockstep.leader()).number, engine().nextTime());
    }

    /** Releases the engine and keeps the counters. */
    public void end() {
        pastLoads = adapterLoads();
        engine = null;
    }

    /** Copies the results of the simulation that replaced this instance. {@code sent} is its number of requests. */
    public void copyResults(Instance other, int sent) {
        requests = sent;
        preemptions = other.preemptions;
        queriedTokens = other.queriedTokens;
        hits = other.hits;
        tokens = other.tokens;
        busy = other.busy;
        poweredSeconds = other.poweredSeconds;
        blocks = other.blocks;
        peakKvUsage = other.peakKvUsage;
        memoryWaitSeconds = other.memoryWaitSeconds;
        pastLoads = other.pastLoads;
    }

    /** Returns the engine; only between {@link #begin} and {@link #end}. */
    public ServingSimulator engine() {
        return Objects.requireNonNull(engine, "the instance has not begun");
    }

    /** Returns the duration of a step including slowness and stalls. */
    double scaleStep(double stepSeconds) {
        double waits = Double.isNaN(stallFrom) ? stall : Math.max(0, stallFrom + stall - engine().now());
        stall = 0;
        stallFrom = Double.NaN;
        return stepSeconds * slowness + waits;
    }

    /** Delays the next step. */
    void stall(double at, double seconds) {
        boolean isIdle = timeSignals.value(BUSY) == 0 && (stall == 0 || !Double.isNaN(stallFrom));
        stallFrom = isIdle ? at : Double.NaN;
        stall += seconds;
    }

    /** Publishes the metrics of the instance as member {@code place} of a routing group. */
    public void publishTo(Signals them, int place) {
        signals = them;
        groupIndex = place;
    }

    private void publish(int kind, double now, double shown) {
        if (signals != null) {
            signals.set(groupIndex, kind, now, shown);
        }
    }

    private void setRunning(int now, double time) {
        running = Math.max(0, now);
        publish(Signals.RUNNING, time, running);
    }

    /** Adds a completed request to the published histograms. */
    private void countCompleted(int place, double time) {
        if (signals == null) {
            return;
        }
        int request = place >> 1;
        boolean isLater = (place & 1) == 1;
        double begun = isLater ? timeline.resumed[request] : timeline.started[request];
        double first = isLater ? begun : timeline.firstToken[request];
        signals.add(groupIndex, Signals.QUEUE_S, time, begun - (isLater ? timeline.handed : timeline.entered)[request]);
        signals.add(groupIndex, Signals.PREFILL_S, time, first - begun);
        signals.add(groupIndex, Signals.DECODE_S, time, time - first);
        signals.add(groupIndex, Signals.PROMPT_TOKENS, time, states.prefillTokens(place));
        signals.add(groupIndex, Signals.OUTPUT_TOKENS, time, states.trace().decodeTokens(place));
        signals.add(groupIndex, Signals.COMPLETED, time, 1);
    }

    /** Returns the number of the pool. */
    public int poolNumber() {
        return firstSignal / SIGNALS_PER_POOL;
    }

    /** Drops all requests and the cache, and restarts the engine. */
    public void fail(double now) {
        for (int i = 0; i < OWN; i++) {
            timeSignals.change(i, now, 0);
        }
        awaiting = 0;
        queuedTokens = 0;
        setRunning(0, now);
        publish(Signals.WAITING, now, 0);
        publish(Signals.KV_USAGE, now, 0);
        if (tiers != null) {
            tiers.clear();
        }
        if (retention != null) {
            retention.clear(now);
        }
        limit = AdmissionLimit.NONE;
        present = 0;
        end();
        begin();
    }

    /** Returns true if the instance is part of a lockstep group. */
    public boolean runsInLockstep() {
        return lockstep != null;
    }

    /** Returns the metrics of the lockstep group; empty except for its first instance. */
    Optional<WaveCounters> waves() {
        return replica > 0 ? Optional.empty() : Optional.ofNullable(lockstep).map(LockstepGroup::figures);
    }

    /** Returns the number of LoRA adapter loads. */
    public long adapterLoads() {
        return replica > 0
                ? 0 // the first instance of the group counts for all
                : pastLoads
                        + Optional.ofNullable(engine)
                                .flatMap(ServingSimulator::figures)
                                .map(EngineCounters::adapterLoads)
                                .orElse(0L);
    }

    /** Prepares a slot for a retry. */
    public void forget(int place) {
        evictedAt[place] = -1;
    }

    /** Returns the number of requests in the engine's queue. */
    public double waiting() {
        return timeSignals.value(WAITING);
    }

    /** Returns the share of KV blocks in use. */
    public double kvUsage() {
        return timeSignals.value(KV_USAGE);
    }

    /** Returns true if the instance has no requests and no KV blocks in use. */
    public boolean isIdle() {
        return timeSignals.value(WAITING) == 0 && timeSignals.value(BUSY) == 0 && engine().isIdle(replica);
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.BATCHES, Signal.MEMORY);
    }

    /** Completes the time series up to a time. */
    public void settle(double now) {
        timeSignals.settle(now);
    }

    @Override
    public void batchScheduled(Batch batch, double time) {
        for (int i = batch.size - 1; i >= 0; i--) {
            int place = batch.requests[i];
            boolean isLater = (place & 1) == 1;
            double[] begun = isLater ? timeline.resumed : timeline.started;
            if (Double.isNaN(begun[place >> 1])) {
                begun[place >> 1] = time;
                begins(place, isLater, batch.tokens[i]);
            } else if (evictedAt[place] >= 0) {
                resume(place, time);
            } else if (batch.prefillTokens == 0) {
                return;
            }
        }
    }

    private void begins(int place, boolean isLater, int countCompleted) {
        int request = place >> 1;
        mark[place] = extra;
        queuedTokens -= isKvRequested(place) ? 0 : states.prefillTokens(place);
        if (!isLater && tiers != null) {
            tiers.leftQueue(request, engine().now());
        }
        if (!isLater) {
            awaiting++;
            // vLLM counts a step with one token after a cache hit as a decode and includes its token
            boolean isDecode = countCompleted == 1 && !isSglang && states.processedTokens(place) > 0;
            timeline.hits[request] = states.processedTokens(place) - (isDecode ? 1 : 0);
            queriedTokens += states.prefillTokens(place);
            hits += timeline.hits[request];
            return;
        }
        boolean isLoaded = !Double.isNaN(timeline.moved[request]);
        int local = states.prefillTokens(place) - countCompleted - timeline.transferred[request];
        timeline.decodeHits[request] = local;
        queriedTokens += states.prefillTokens(place) - 1;
        hits += local;
        if (!isLoaded) {
            events.prefillReleased(request);
        }
    }

    /** Returns true if a transfer for the slot has been requested, so that it does not wait for memory. */
    private boolean isKvRequested(int place) {
        int request = place >> 1;
        return (place & 1) == 1
                && !(Double.isNaN(timeline.moving[request]) && Double.isNaN(timeline.reserved[request]));
    }

    /** Records that a preempted request runs again. Its time without memory includes prefills of others. */
    private void resume(int place, double time) {
        int request = place >> 1;
        double away = time - evictedAt[place];
        evictedAt[place] = -1;
        if (Double.isNaN(timeline.firstToken[request])) {
            timeline.evicted[request] += away;
        } else {
            timeline.interferenceSeconds[request] += away + mark[place];
            mark[place] = extra;
        }
    }

    @Override
    public void requestRestarted(int place, double time) {
        int request = place >> 1;
        preemptions++;
        setRunning(running - 1, time);
        timeline.preemptions[request]++;
        evictedAt[place] = time;
        if (!Double.isNaN(timeline.firstToken[request])) {
            // mark contains the interference so far until the request runs again
            mark[place] = extra - mark[place];
        }
    }

    @Override
    public void requestWithdrawn(int place, double time) {
        if (tiers != null && (place & 1) == 0) {
            tiers.leftQueue(place >> 1, time);
        }
        boolean hasBegun = !Double.isNaN(((place & 1) == 0 ? timeline.started : timeline.resumed)[place >> 1]);
        queuedTokens -= hasBegun || isKvRequested(place) ? 0 : states.prefillTokens(place);
        setRunning(hasBegun ? running - 1 : running, time);
        boolean isAwaited = (place & 1) == 0 && !Double.isNaN(timeline.started[place >> 1]);
        if (isAwaited && Double.isNaN(timeline.firstToken[place >> 1])) {
            awaiting--;
        }
    }

    @Override
    public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
        powers[stage] = DevicePower.busy(mfuPercent);
        timeSignals.change(BUSY, time, timeSignals.value(BUSY) + 1.0 / (lastStage + 1));
        timeSignals.change(RUNNING, time, batch.size);
        setRunning(batch.size, time);
    }

    @Override
    public void stageEnded(Batch batch, int stage, double time, double usualSeconds, double modelSeconds) {
        double totalSeconds = usualSeconds * slowness;
        timeSignals.change(BUSY, time, Math.max(0, timeSignals.value(BUSY) - 1.0 / (lastStage + 1)));
        timeSignals.change(RUNNING, time, 0);
        busy += totalSeconds / (lastStage + 1);
        StepTotals.add(stepTotals, batch, totalSeconds);
        poweredSeconds += powers[stage] * totalSeconds / (lastStage + 1);
        if (stage == lastStage) {
            tokens += batch.totalTokens;
            if (batch.step.prefills > 0) {
                double decodeSeconds = batch.step.decodes == 0 ? 0 : engine().decodeOnlySeconds(batch) * slowness;
                extra += Math.max(0, totalSeconds - decodeSeconds);
                promptSeconds += Math.max(0, totalSeconds - decodeSeconds);
                promptTokens += batch.prefillTokens;
            }
        }
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates all) {
        for (int i = batch.size - 1; i >= 0 && awaiting > 0; i--) {
            int place = batch.requests[i];
            boolean isFirst = (place & 1) == 0 && Double.isNaN(timeline.firstToken[place >> 1]);
            if (isFirst && all.prefillCompletedAt(place) == time) {
                timeline.firstToken[place >> 1] = time;
                awaiting--;
                mark[place] = extra;
                events.prefilled(place >> 1, this);
            }
        }
    }

    @Override
    public void requestCompleted(int place, double time, RequestStates all) {
        int request = place >> 1;
        boolean isLater = (place & 1) == 1;
        setRunning(running - 1, time);
        countCompleted(place, time);
        if (isLater || !timeline.isSplit[request]) {
            timeline.completed[request] = time;
            timeline.interferenceSeconds[request] += extra - mark[place];
        }
        if (tiers != null && timeline.isOpen(request)) {
            tiers.store(request, states.prefillTokens(place) + states.trace().decodeTokens(place) - 1, time);
        }
        events.done(request, this, isLater);
    }

    @Override
    public void memorySample(int replica, double time, long allocated, long total) {
        blocks = total;
        double share = (double) allocated / total;
        peakKvUsage = Math.max(peakKvUsage, share);
        timeSignals.change(KV_USAGE, time, share);
        publish(Signals.KV_USAGE, time, share);
    }

    @Override
    public void queueSample(int replica, double time, int waiting) {
        timeSignals.change(WAITING, time, waiting);
        publish(Signals.WAITING, time, waiting);
    }

    @Override
    public void admissionSample(int replica, double time, AdmissionLimit now) {
        // in a decode pool, waiting requests have a transfer in progress
        if (limit == AdmissionLimit.KV_BLOCKS && pool.role() != PoolRole.DECODE) {
            memoryWaitSeconds += time - limitSince;
        }
        limit = now;
        limitSince = time;
    }

    @Override
    public @Nullable CacheRetention retention() {
        return retention;
    }

    @Override
    public @Nullable CacheEvents events() {
        return cacheListener;
    }

    @Override
    public boolean isProducer() {
        return pool.role() == PoolRole.PREFILL;
    }

    @Override
    public boolean isConsumer() {
        return pool.role() == PoolRole.DECODE || tiers != null;
    }

    @Override
    public boolean recomputes() {
        return true;
    }

    @Override
    public void queued(LiveRequest request, IntSupplier local) {
        int place = request.spec().index();
        if (tiers != null && tiers.prefetch != null && (place & 1) == 0) {
            tiers.queued(place >> 1, local.getAsInt(), timeline.entered[place >> 1]);
        }
    }

    @Override
    public int offer(LiveRequest request, int local) {
        int place = request.spec().index();
        if (tiers != null && (place & 1) == 0) {
            boolean isNew = Double.isNaN(timeline.started[place >> 1]) && timeline.tierTokens[place >> 1] == 0;
            double pace = promptTokens == 0 ? Double.POSITIVE_INFINITY : promptSeconds / promptTokens;
            return isNew ? tiers.offer(place >> 1, local, engine().now(), pace) : 0;
        }
        boolean isExpected = (place & 1) == 1 && Double.isNaN(timeline.moving[place >> 1]);
        return isExpected ? Math.max(0, states.prefillTokens(place) - 1 - local) : 0;
    }

    @Override
    public boolean loadsAsync(LiveRequest request) {
        return true;
    }

    @Override
    public void begin(LiveRequest request, int missing) {
        int place = request.spec().index();
        if (tiers == null || (place & 1) == 1) {
            queuedTokens -= states.prefillTokens(place);
            events.requestKv(place >> 1, missing, request);
            return;
        }
        double now = engine().now();
        timeline.tierTokens[place >> 1] = missing;
        double end = tiers.begin(place >> 1, now);
        timeline.tier[place >> 1] = end - now;
        events.reads(this, request, end);
    }

    @Override
    public boolean keeps(LiveRequest request) {
        return keepsKv(request);
    }

    private boolean keepsKv(KvRequest kvRequest) {
        int place = kvRequest.number();
        boolean hasMore = (place & 1) == 0 && timeline.isSplit[place >> 1] && timeline.isOpen(place >> 1);
        if (hasMore) {
            senders[place >> 1] = kvRequest;
        }
        return hasMore;
    }

    @Override
    public @Nullable SglangConnector sglang() {
        return pool.role() == PoolRole.BOTH ? null : this;
    }

    @Override
    public boolean isDecode() {
        return isConsumer();
    }

    @Override
    public void reserved(SglangRequest kvRequest, int promptTokens) {
        int place = kvRequest.number();
        queuedTokens -= states.prefillTokens(place);
        timeline.reserved[place >> 1] = engine().now();
        events.requestKv(place >> 1, promptTokens, kvRequest);
    }

    @Override
    public boolean keeps(SglangRequest kvRequest) {
        return keepsKv(kvRequest);
    }
}
