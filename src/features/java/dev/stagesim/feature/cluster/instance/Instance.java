package dev.stagesim.feature.cluster.instance;

import dev.stagesim.feature.cluster.cache.KvTiers;
import dev.stagesim.feature.cluster.cache.SessionRetention;
import dev.stagesim.sim.core.Tournament;
import dev.stagesim.sim.serving.AdmissionLimit;
import dev.stagesim.sim.serving.Batch;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.RequestStates;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.SchedulerSpec;
import dev.stagesim.sim.serving.ServingOutcome.EngineFigures;
import dev.stagesim.sim.serving.ServingOutcome.WaveFigures;
import dev.stagesim.sim.serving.ServingRecorder;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.StepTimes;
import dev.stagesim.sim.serving.memory.CacheEvents;
import dev.stagesim.sim.serving.memory.CacheRetention;
import dev.stagesim.sim.serving.policy.KvConnector;
import dev.stagesim.sim.serving.policy.LiveRequest;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One engine of the cluster: tells the moments of its requests, and keeps account of itself.
 *
 * <p>Request r is in place 2r for its prompt and, where its output is made elsewhere, in place 2r + 1 for that.
 */
public final class Instance implements ServingRecorder, KvConnector {
    /** What the cluster does when something happens on an instance. */
    public interface Events {
        /** The prompt of a request is computed, at the present time of the instance. */
        void prompted(int request, Instance instance);

        /** The request is done on the instance. */
        void done(int request, Instance instance, boolean isLater);

        /** There is room for keys and values of a request, which are asked for. */
        void ask(int request, int tokens, LiveRequest receiver);

        /** A request is read from tiers until such a time. */
        void reads(Instance instance, LiveRequest request, double end);

        /** The time of the cluster. */
        double now();

        /** A request that was handed over needs nothing from its first instance. */
        void needsNothing(int request);
    }

    public static final int BUSY = 0;
    public static final int WAITING = 1;
    public static final int HELD = 2;
    public static final int RUNNING = 3;
    /** Instances of the pool that are up; the fleet keeps account of it. */
    public static final int UP = 4;

    public static final int FUNCTIONS = 5;
    private static final int OWN = 4;

    public final int number;
    public final PoolPlan pool;
    private @Nullable ServingSimulator engine;

    /** Those that it runs every step together with; null where it runs by itself. */
    private final @Nullable Together together;

    /** Its number among those. */
    private final int replica;

    /** How much longer than usual its steps take. */
    public double slowness = 1;

    /** Seconds that its next step has to wait for, from such a time on; not a number where it is busy then. */
    private double stall;

    private double stallFrom = Double.NaN;

    /** Tokens of prompts, and of what was handed over, that wait for memory. */
    public double queuedTokens;

    /** Requests that were sent to it and need it. */
    public int present;

    private final Life life;
    private final Events events;
    private final RequestStates states;
    private final @Nullable LiveRequest[] senders;
    public final int function;
    private final ServingSpec spec;
    private final StepTimes times;
    private final int lastStage;

    /** What is behind its cache; null for nothing. */
    public final @Nullable KvTiers tiers;

    /** What its own cache keeps; null for nothing. */
    public final @Nullable SessionRetention retention;

    /** Who hears what its own cache holds; null for nobody. */
    private final @Nullable CacheEvents told;

    /** Blocks of its cache. */
    public long blocks = 1;

    private double promptSeconds;
    private double promptTokens;
    private final StepFunctions functions;

    /** Seconds that steps were longer for the prompts in them, summed up to now. */
    private double extra;

    /** The sum when the request in a place began to decode, or lost its memory. */
    private final double[] mark;

    private final double[] evictedAt;
    /** Requests in batches that have no token yet. */
    private int awaiting;

    private final boolean isSglang;
    private @Nullable Signals signals;
    private int seat;

    /** Requests in the batch, or that were in the last one and are not done. */
    private int running;

    public int requests;
    public int preemptions;
    public long asked;
    public long hits;
    public long tokens;
    public double busy;
    public double heldPeak;
    public double lackedMemory;
    private long pastLoads;
    private AdmissionLimit limit = AdmissionLimit.NONE;
    private double limitSince;

    /** What all instances share. */
    public record Shared(
            Life life,
            Events events,
            RequestStates states,
            @Nullable LiveRequest[] senders,
            Series series,
            double[] mark,
            double[] evictedAt) {
        /** Of such requests and places. */
        public static Shared of(
                Life life, Events events, RequestTrace places, @Nullable LiveRequest[] senders, Series series) {
            double[] evictedAt = new double[places.size()];
            Arrays.fill(evictedAt, -1);
            return new Shared(
                    life, events, new RequestStates(places), senders, series, new double[places.size()], evictedAt);
        }
    }

    /** What is behind its cache, what that keeps, and who hears of it; null for nothing each. */
    public record Caches(@Nullable KvTiers tiers, @Nullable SessionRetention retention, @Nullable CacheEvents told) {}

    public Instance(
            int number,
            PoolPlan pool,
            int function,
            Shared shared,
            StepTimes times,
            Caches caches,
            @Nullable Together together) {
        this.together = together;
        tiers = caches.tiers();
        retention = caches.retention();
        told = caches.told();
        this.number = number;
        this.pool = pool;
        this.times = times;
        this.function = function;
        life = shared.life();
        events = shared.events();
        states = shared.states();
        senders = shared.senders();
        functions = new StepFunctions(shared.series(), function, OWN);
        mark = shared.mark();
        evictedAt = shared.evictedAt();
        spec = times.spec();
        lastStage = spec.cluster().pipelineStages() - 1;
        isSglang = spec.scheduler() instanceof SchedulerSpec.Sglang;
        replica = together == null ? 0 : together.join(this);
    }

    /** Where keys and values go to and come from; null for nowhere. */
    @Nullable
    KvConnector connector() {
        boolean hands = pool.role() != PoolRole.BOTH || tiers != null || retention != null || told != null;
        return hands ? this : null;
    }

    /** Begins without anything in its cache. */
    public void begin() {
        if (retention != null) {
            retention.begin(() -> engine().now());
        }
        engine = together == null
                ? ServingSimulator.online(
                        spec, states, times, MemoryPlan.of(spec), this::stretched, i -> connector(), this)
                : together.begin(spec, states, times);
    }

    /** A request enters its engine. */
    public void place(int place, int prompt, double now) {
        queuedTokens += prompt;
        engine().place(place, replica, now);
    }

    public void withdraw(int place, double now) {
        engine().withdraw(place, replica, now);
    }

    /** Keys and values of a request have come, or have been taken. */
    public void moved(LiveRequest request, boolean isHere, double now) {
        engine().moved(request, isHere, replica, now);
    }

    /** Has its next event, or that of all it runs together with, compared with others'. */
    public void compareBy(Tournament next) {
        next.set((together == null ? this : together.leader()).number, engine().nextTime());
    }

    /** Lets go of the engine, and keeps the accounts. */
    public void end() {
        pastLoads = adapterLoads();
        engine = null;
    }

    /** Takes over the accounts of one that was in its place, and that so many requests were sent to. */
    public void take(Instance other, int sent) {
        requests = sent;
        preemptions = other.preemptions;
        asked = other.asked;
        hits = other.hits;
        tokens = other.tokens;
        busy = other.busy;
        blocks = other.blocks;
        heldPeak = other.heldPeak;
        lackedMemory = other.lackedMemory;
        pastLoads = other.pastLoads;
    }

    /** What serves its requests between {@link #begin} and {@link #end}. */
    public ServingSimulator engine() {
        return Objects.requireNonNull(engine, "an instance that has begun");
    }

    /** What a step takes that takes so long otherwise. */
    double stretched(double usual) {
        double waits = Double.isNaN(stallFrom) ? stall : Math.max(0, stallFrom + stall - engine().now());
        stall = 0;
        stallFrom = Double.NaN;
        return usual * slowness + waits;
    }

    /** Does nothing for so long, when its step is over. */
    void stall(double at, double seconds) {
        boolean isIdle = functions.value(BUSY) == 0 && (stall == 0 || !Double.isNaN(stallFrom));
        stallFrom = isIdle ? at : Double.NaN;
        stall += seconds;
    }

    /** Has routers see it, as one of its group. */
    public void shows(Signals them, int place) {
        signals = them;
        seat = place;
    }

    private void show(int kind, double now, double shown) {
        if (signals != null) {
            signals.set(seat, kind, now, shown);
        }
    }

    private void runs(int now, double time) {
        running = Math.max(0, now);
        show(Signals.RUNNING, time, running);
    }

    /** What an engine's histograms have of a request that is done. */
    private void count(int place, double time) {
        if (signals == null) {
            return;
        }
        int request = place >> 1;
        boolean isLater = (place & 1) == 1;
        double begun = isLater ? life.resumed[request] : life.started[request];
        double first = isLater ? begun : life.firstToken[request];
        signals.add(seat, Signals.QUEUE_S, time, begun - (isLater ? life.handed : life.entered)[request]);
        signals.add(seat, Signals.PREFILL_S, time, first - begun);
        signals.add(seat, Signals.DECODE_S, time, time - first);
        signals.add(seat, Signals.PROMPT_TOKENS, time, states.prefillTokens(place));
        signals.add(seat, Signals.OUTPUT_TOKENS, time, states.trace().decodeTokens(place));
        signals.add(seat, Signals.COMPLETED, time, 1);
    }

    /** Number of its pool. */
    public int poolNumber() {
        return function / FUNCTIONS;
    }

    /** Loses all that it had, and begins anew. */
    public void fail(double now) {
        for (int i = 0; i < OWN; i++) {
            functions.change(i, now, 0);
        }
        awaiting = 0;
        queuedTokens = 0;
        runs(0, now);
        show(Signals.WAITING, now, 0);
        show(Signals.HELD, now, 0);
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

    /** Whether it runs every step together with others. */
    public boolean isTogether() {
        return together != null;
    }

    /** What those did that it runs every step together with, told by the first of them. */
    Optional<WaveFigures> waves() {
        return replica > 0 ? Optional.empty() : Optional.ofNullable(together).map(Together::figures);
    }

    /** LoRA adapters that were loaded into its slots. */
    public long adapterLoads() {
        return replica > 0
                ? 0 // the first of them counts for all
                : pastLoads
                        + Optional.ofNullable(engine)
                                .flatMap(ServingSimulator::figures)
                                .map(EngineFigures::adapterLoads)
                                .orElse(0L);
    }

    /** A request will come again to such a place. */
    public void forget(int place) {
        evictedAt[place] = -1;
    }

    /** Requests that wait in its engine. */
    public double waiting() {
        return functions.value(WAITING);
    }

    /** Share of its cache in use. */
    public double held() {
        return functions.value(HELD);
    }

    /** Whether nothing waits, and nothing holds memory, as of the last look at it. */
    public boolean isIdle() {
        return functions.value(WAITING) == 0 && functions.value(BUSY) == 0 && engine().isIdle(replica);
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.BATCHES, Signal.MEMORY);
    }

    @Override
    public boolean readsRequests() {
        return false;
    }

    /** Brings the account of the series up to a time. */
    public void settle(double now) {
        functions.settle(now);
    }

    @Override
    public void batchScheduled(Batch batch, double time) {
        for (int i = batch.size() - 1; i >= 0; i--) {
            int place = batch.request(i);
            boolean isLater = (place & 1) == 1;
            double[] begun = isLater ? life.resumed : life.started;
            if (Double.isNaN(begun[place >> 1])) {
                begun[place >> 1] = time;
                begins(place, isLater, batch.tokens(i));
            } else if (evictedAt[place] >= 0) {
                returns(place, time);
            } else if (batch.prefillTokens() == 0) {
                return;
            }
        }
    }

    private void begins(int place, boolean isLater, int count) {
        int request = place >> 1;
        mark[place] = extra;
        queuedTokens -= isAsked(place) ? 0 : states.prefillTokens(place);
        if (!isLater && tiers != null) {
            tiers.left(request, engine().now());
        }
        if (!isLater) {
            awaiting++;
            // one token behind what is cached counts as a decode to vLLM, which counts itself as well
            boolean isDecode = count == 1 && !isSglang && states.processedTokens(place) > 0;
            life.hits[request] = states.processedTokens(place) - (isDecode ? 1 : 0);
            asked += states.prefillTokens(place);
            hits += life.hits[request];
            return;
        }
        boolean isLoaded = !Double.isNaN(life.moved[request]);
        int local = states.prefillTokens(place) - count - life.transferred[request];
        life.laterHits[request] = local;
        asked += states.prefillTokens(place) - 1;
        hits += local;
        if (!isLoaded) {
            events.needsNothing(request);
        }
    }

    /** Whether there was room for what is handed over to a place, so that it waits for its bytes alone. */
    private boolean isAsked(int place) {
        return (place & 1) == 1 && !Double.isNaN(life.moving[place >> 1]);
    }

    /** A request that had lost its memory is in a batch again; what others' prompts took meanwhile is part of that time. */
    private void returns(int place, double time) {
        int request = place >> 1;
        double away = time - evictedAt[place];
        evictedAt[place] = -1;
        if (Double.isNaN(life.firstToken[request])) {
            life.evicted[request] += away;
        } else {
            life.disturbed[request] += away + mark[place];
            mark[place] = extra;
        }
    }

    @Override
    public void requestRestarted(int place, double time) {
        int request = place >> 1;
        preemptions++;
        runs(running - 1, time);
        life.preemptions[request]++;
        evictedAt[place] = time;
        if (!Double.isNaN(life.firstToken[request])) {
            // until it returns the mark is what it has suffered so far
            mark[place] = extra - mark[place];
        }
    }

    @Override
    public void requestWithdrawn(int place, double time) {
        if (tiers != null && (place & 1) == 0) {
            tiers.left(place >> 1, time);
        }
        boolean hasBegun = !Double.isNaN(((place & 1) == 0 ? life.started : life.resumed)[place >> 1]);
        queuedTokens -= hasBegun || isAsked(place) ? 0 : states.prefillTokens(place);
        runs(hasBegun ? running - 1 : running, time);
        boolean isAwaited = (place & 1) == 0 && !Double.isNaN(life.started[place >> 1]);
        if (isAwaited && Double.isNaN(life.firstToken[place >> 1])) {
            awaiting--;
        }
    }

    @Override
    public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
        functions.change(BUSY, time, functions.value(BUSY) + 1.0 / (lastStage + 1));
        functions.change(RUNNING, time, batch.size());
        runs(batch.size(), time);
    }

    @Override
    public void stageEnded(Batch batch, int stage, double time, double usualSeconds, double modelSeconds) {
        double totalSeconds = usualSeconds * slowness;
        functions.change(BUSY, time, Math.max(0, functions.value(BUSY) - 1.0 / (lastStage + 1)));
        functions.change(RUNNING, time, 0);
        busy += totalSeconds / (lastStage + 1);
        if (stage == lastStage) {
            tokens += batch.totalTokens();
            if (batch.step().prefills() > 0) {
                double alone = batch.step().decodes() == 0 ? 0 : engine().decodesAlone(batch) * slowness;
                extra += Math.max(0, totalSeconds - alone);
                promptSeconds += Math.max(0, totalSeconds - alone);
                promptTokens += batch.prefillTokens();
            }
        }
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates all) {
        for (int i = batch.size() - 1; i >= 0 && awaiting > 0; i--) {
            int place = batch.request(i);
            boolean isFirst = (place & 1) == 0 && Double.isNaN(life.firstToken[place >> 1]);
            if (isFirst && all.prefillCompletedAt(place) == time) {
                life.firstToken[place >> 1] = time;
                awaiting--;
                mark[place] = extra;
                events.prompted(place >> 1, this);
            }
        }
    }

    @Override
    public void requestCompleted(int place, double time, RequestStates all) {
        int request = place >> 1;
        boolean isLater = (place & 1) == 1;
        runs(running - 1, time);
        count(place, time);
        if (isLater || !life.isSplit[request]) {
            life.completed[request] = time;
            life.disturbed[request] += extra - mark[place];
        }
        if (tiers != null && life.isOpen(request)) {
            tiers.keep(request, states.prefillTokens(place) + states.trace().decodeTokens(place) - 1, time);
        }
        events.done(request, this, isLater);
    }

    @Override
    public void memorySample(int replica, double time, long allocated, long total) {
        blocks = total;
        double share = (double) allocated / total;
        heldPeak = Math.max(heldPeak, share);
        functions.change(HELD, time, share);
        show(Signals.HELD, time, share);
    }

    @Override
    public void queueSample(int replica, double time, int waiting) {
        functions.change(WAITING, time, waiting);
        show(Signals.WAITING, time, waiting);
    }

    @Override
    public void admissionSample(int replica, double time, AdmissionLimit now) {
        // in a decode pool those wait that are being loaded
        if (limit == AdmissionLimit.KV_BLOCKS && pool.role() != PoolRole.DECODE) {
            lackedMemory += time - limitSince;
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
        return told;
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
            tiers.queued(place >> 1, local.getAsInt(), life.entered[place >> 1]);
        }
    }

    @Override
    public int offer(LiveRequest request, int local) {
        int place = request.spec().index();
        if (tiers != null && (place & 1) == 0) {
            boolean isNew = Double.isNaN(life.started[place >> 1]) && life.tierTokens[place >> 1] == 0;
            double pace = promptTokens == 0 ? Double.POSITIVE_INFINITY : promptSeconds / promptTokens;
            return isNew ? tiers.offer(place >> 1, local, engine().now(), pace) : 0;
        }
        boolean isExpected = (place & 1) == 1 && Double.isNaN(life.moving[place >> 1]);
        return isExpected ? Math.max(0, states.prefillTokens(place) - 1 - local) : 0;
    }

    @Override
    public boolean loadsAside(LiveRequest request) {
        return true;
    }

    @Override
    public void begin(LiveRequest request, int missing) {
        int place = request.spec().index();
        if (tiers == null || (place & 1) == 1) {
            queuedTokens -= states.prefillTokens(place);
            events.ask(place >> 1, missing, request);
            return;
        }
        double now = engine().now();
        life.tierTokens[place >> 1] = missing;
        double end = tiers.begin(place >> 1, now);
        life.tier[place >> 1] = end - now;
        events.reads(this, request, end);
    }

    @Override
    public boolean keeps(LiveRequest request) {
        int place = request.spec().index();
        boolean hasMore = (place & 1) == 0 && life.isSplit[place >> 1] && life.isOpen(place >> 1);
        if (hasMore) {
            senders[place >> 1] = request;
        }
        return hasMore;
    }
}
