package dev.stagesim.sim.serving.cluster;

import dev.stagesim.sim.core.IntList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One engine of a cluster as BLIS simulates it.
 *
 * <p>A step and everything that it completes is carried out when the step starts; only TTFT, gaps and what follows a
 * request count its duration.
 */
public final class BlisInstance {
    /** Where an instance is in its life. */
    public enum Life {
        LOADING("Loading"),
        ACTIVE("Active"),
        DRAINING("Draining"),
        TERMINATED("Terminated");

        private final String text;

        Life(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Told of every request that ends, whether done, timed out or dropped, and when that is. */
    interface EndListener {
        void ended(BlisRequest request, long at);
    }

    private static final int ARRIVAL = 0;
    private static final int QUEUED = 1;
    private static final int ADAPTER = 2;
    private static final int STEP = 3;
    private static final int SCHEDULED = 4;
    private static final int LEFT = 5;
    private static final int TIMEOUT = 6;
    private static final int LISTED_STEPS = 300;

    private static final Comparator<BlisRequest> BY_ARRIVAL = Comparator.<BlisRequest>comparingLong(
                    request -> request.spec().arrival())
            .thenComparing(request -> request.spec().id());

    private final String name;
    private final BlisEngine engine;
    private final long horizon;
    private final EndListener ends;
    private final HashedBlocks cache;
    private final AdapterSlots slots;
    private final TimedEvents events = new TimedEvents();
    private final List<BlisRequest> waiting = new ArrayList<>();
    private List<BlisRequest> running = new ArrayList<>();
    /** Whether there is a batch, be it empty: a step without one does nothing when nothing waits. */
    private boolean hasBatch = true;

    private boolean isStepPending;
    private Optional<String> loading = Optional.empty();
    private boolean preempted;
    private int budget;
    private long clock;

    Life life = Life.ACTIVE;
    int inFlight;

    private int completed;
    private int dropped;
    private int timedOut;
    private int preemptions;
    private int cut;
    private int steps;
    private int peakBlocks;
    private long blockTime;
    private long inputTokens;
    private long outputTokens;
    private long gaps;
    private long ttftSum;
    private final IntList runningAtSteps = new IntList();
    private final IntList waitingAtSteps = new IntList();

    BlisInstance(String name, BlisEngine engine, BlockChains chains, long horizon, EndListener ends) {
        this.name = name;
        this.engine = engine;
        this.horizon = horizon;
        this.ends = ends;
        cache = new HashedBlocks(engine, chains);
        slots = new AdapterSlots(engine.adapters().slots());
    }

    // What routers and reports read.

    public String name() {
        return name;
    }

    public Life life() {
        return life;
    }

    boolean isRoutable() {
        return life == Life.ACTIVE;
    }

    int waiting() {
        return waiting.size();
    }

    int running() {
        return running.size();
    }

    Set<String> adapters() {
        return slots.resident();
    }

    HashedBlocks cache() {
        return cache;
    }

    BlisEngine engine() {
        return engine;
    }

    public int completed() {
        return completed;
    }

    /** Requests that could never be served. */
    public int dropped() {
        return dropped;
    }

    public int timedOut() {
        return timedOut;
    }

    public int preemptions() {
        return preemptions;
    }

    /** Requests ended by the longest length. */
    public int cut() {
        return cut;
    }

    public int steps() {
        return steps;
    }

    public int peakBlocks() {
        return peakBlocks;
    }

    /** Used blocks integrated over the steps. */
    public long blockTime() {
        return blockTime;
    }

    public long inputTokens() {
        return inputTokens;
    }

    public long outputTokens() {
        return outputTokens;
    }

    public long gaps() {
        return gaps;
    }

    public long ttftSum() {
        return ttftSum;
    }

    public double hitRate() {
        return cache.hitRate();
    }

    public double thrashingRate() {
        return cache.thrashingRate();
    }

    /** Time of the last event within the horizon. */
    public long end() {
        return Math.min(clock, horizon);
    }

    public int stillWaiting() {
        return waiting.size();
    }

    public int stillRunning() {
        return running.size();
    }

    /** Requests in the batch of each of the first 300 steps. */
    public IntList runningAtSteps() {
        return runningAtSteps;
    }

    /** Requests that waited after each of the first 300 batches was formed. */
    public IntList waitingAtSteps() {
        return waitingAtSteps;
    }

    public Map<String, Integer> adapterLoads() {
        return slots.loads();
    }

    public Map<String, Integer> adapterEvictions() {
        return slots.evictions();
    }

    // Events.

    long nextTime() {
        return events.next();
    }

    /** Carries out the next event; false when it was void and no time passed. */
    boolean processNext() {
        TimedEvents.Event event = events.take();
        if (event.isVoid().getAsBoolean()) {
            return false;
        }
        clock = event.time();
        event.action().accept(clock);
        return true;
    }

    void arrive(BlisRequest request, long at) {
        request.servedBy(name);
        events.add(
                at,
                ARRIVAL,
                now -> events.add(
                        now + engine.queueing(request.spec().promptLength()), QUEUED, later -> queued(request, later)));
    }

    /** Takes blocks for a prompt that was computed elsewhere. */
    boolean reserve(BlisRequest request) {
        boolean fits = cache.allocate(request, 0, request.spec().promptLength());
        if (fits) {
            request.progress = request.spec().promptLength();
        }
        return fits;
    }

    void unreserve(BlisRequest request) {
        cache.release(request);
    }

    /** Queues the decode part of a split request. */
    void arriveDecode(BlisRequest request, long at) {
        request.servedBy(name);
        request.state = BlisRequest.State.QUEUED;
        waiting.add(request);
        addDeadline(request);
        if (running.isEmpty() && !isStepPending) {
            addStep(Math.max(clock, at));
        }
    }

    /** Cancels a request that waits or runs here; false when it does neither. */
    boolean evict(BlisRequest request) {
        boolean waited = waiting.remove(request);
        if (!waited && !running.remove(request)) {
            return false;
        }
        cache.release(request);
        unpin(request);
        request.state = BlisRequest.State.COMPLETED;
        if (!waited && running.isEmpty()) {
            hasBatch = false;
            stepIfIdle(clock);
        }
        return true;
    }

    private void queued(BlisRequest request, long now) {
        enqueue(request, now);
        stepIfIdle(now);
    }

    private void enqueue(BlisRequest request, long now) {
        if (request.state == BlisRequest.State.TIMED_OUT) {
            return;
        }
        BlisRequest.Spec spec = request.spec();
        int prompt = spec.promptLength();
        boolean isTooLong =
                engine.longest() > 0 && (prompt >= engine.longest() || prompt + spec.outputLimit() > engine.longest());
        int blocks = (prompt + engine.blockSize() - 1) / engine.blockSize();
        if (isTooLong || blocks > engine.blocks()) {
            dropped++;
            request.servedBy(null);
            ends.ended(request, now);
            return;
        }
        inputTokens += prompt;
        if (spec.deadline() > 0 && spec.deadline() <= now) {
            request.state = BlisRequest.State.TIMED_OUT;
            timedOut++;
            ends.ended(request, now);
            return;
        }
        waiting.add(request);
        addDeadline(request);
    }

    private void addDeadline(BlisRequest request) {
        long deadline = request.spec().deadline();
        if (deadline > 0 && deadline <= horizon) {
            events.add(
                    deadline,
                    TIMEOUT,
                    now -> timeOut(request, now),
                    () -> request.state == BlisRequest.State.COMPLETED);
        }
    }

    private void timeOut(BlisRequest request, long now) {
        if (request.state == BlisRequest.State.TIMED_OUT) {
            return;
        }
        boolean ran = request.state == BlisRequest.State.RUNNING;
        request.state = BlisRequest.State.TIMED_OUT;
        timedOut++;
        unpin(request);
        cache.release(request);
        if (ran) {
            running.remove(request);
            hasBatch &= !running.isEmpty();
        } else {
            waiting.remove(request);
        }
        if (running.isEmpty()) {
            stepIfIdle(now);
        }
        ends.ended(request, now);
    }

    private void stepIfIdle(long at) {
        if (!isStepPending && !waiting.isEmpty()) {
            addStep(at);
        }
    }

    private void addStep(long at) {
        isStepPending = true;
        events.add(at, STEP, this::step);
    }

    private void step(long now) {
        if (!hasBatch && waiting.isEmpty()) {
            isStepPending = false;
            return;
        }
        steps++;
        sort();
        startLoading(now);
        hasBatch = true;
        preempted = false;
        budget = engine.maxTokens();
        continueRunning();
        admitWaiting(now);
        if (runningAtSteps.size() < LISTED_STEPS) {
            runningAtSteps.add(running.size());
            waitingAtSteps.add(waiting.size());
        }
        long duration = advance(now);
        running.forEach(cache::copyDown);
        complete(now, duration);
        isStepPending = false;
        hasBatch = !running.isEmpty();
        if (hasBatch || (!waiting.isEmpty() && loading.isEmpty())) {
            addStep(now + duration);
        }
    }

    private void sort() {
        switch (engine.order()) {
            case FCFS -> {}
            case PRIORITY_FCFS ->
                waiting.sort(Comparator.comparingInt(BlisInstance::urgency).thenComparing(BY_ARRIVAL));
            case REVERSE_PRIORITY ->
                waiting.sort(Comparator.<BlisRequest>comparingInt(request -> -urgency(request))
                        .thenComparing(BY_ARRIVAL));
            case SJF ->
                waiting.sort(Comparator.<BlisRequest>comparingInt(
                                request -> request.spec().promptLength())
                        .thenComparing(BY_ARRIVAL));
        }
    }

    private static int urgency(BlisRequest request) {
        return ServiceClasses.urgency(request.spec().serviceClass());
    }

    // Adapters.

    private boolean hasAdapter(BlisRequest request) {
        String adapter = request.spec().adapter();
        return engine.adapters().slots() == 0 || request.isDecodePart || adapter.isEmpty() || slots.isResident(adapter);
    }

    private void startLoading(long now) {
        if (loading.isPresent() || waiting.isEmpty() || hasAdapter(waiting.get(0)) || !slots.makeRoom()) {
            return;
        }
        String adapter = waiting.get(0).spec().adapter();
        loading = Optional.of(adapter);
        events.add(now + engine.adapters().loadTime(adapter), ADAPTER, at -> {
            slots.loaded(adapter);
            loading = Optional.empty();
            stepIfIdle(at);
        });
    }

    private void pin(BlisRequest request) {
        if (engine.adapters().slots() > 0 && !request.spec().adapter().isEmpty()) {
            slots.use(request.spec().adapter(), request.pinsAdapter ? 0 : 1);
            request.pinsAdapter = true;
        }
    }

    private void unpin(BlisRequest request) {
        if (request.pinsAdapter) {
            slots.unpin(request.spec().adapter());
            request.pinsAdapter = false;
        }
    }

    // Forming a batch.

    private void continueRunning() {
        running.forEach(request -> request.newTokens = 0);
        int at = 0;
        while (at < running.size() && budget > 0) {
            BlisRequest request = running.get(at);
            int count = request.isInPrompt()
                    ? promptTokens(request, request.progress)
                    : Math.min(1, roomBelowLongest(request.progress));
            if (!request.isInPrompt() && (count == 0 || request.spec().output().length == 0)) {
                at++;
                continue;
            }
            if (!makeRoom(request, count)) {
                return;
            }
            budget -= count;
            request.newTokens = count;
            request.planned = request.progress + count;
            at = running.indexOf(request) + 1;
        }
    }

    private int promptTokens(BlisRequest request, int from) {
        int count = request.spec().promptLength() - from;
        if (engine.longPrefill() > 0) {
            count = Math.min(count, engine.longPrefill());
        }
        return Math.min(Math.min(count, budget), roomBelowLongest(from));
    }

    private int roomBelowLongest(int progress) {
        return engine.longest() == 0 ? Integer.MAX_VALUE : Math.max(engine.longest() - 1 - progress, 0);
    }

    /** Allocates for a running request, preempting others; false when it was preempted itself. */
    private boolean makeRoom(BlisRequest request, int count) {
        while (!cache.allocate(request, request.progress, request.progress + count)) {
            preempted = true;
            BlisRequest victim = victim();
            running.remove(victim);
            preemptions++;
            budget += victim.newTokens;
            victim.newTokens = 0;
            victim.restart();
            cache.release(victim);
            waiting.add(0, victim);
            if (victim == request) {
                return false;
            }
        }
        return true;
    }

    private BlisRequest victim() {
        BlisRequest victim = running.get(running.size() - 1);
        if (engine.preemptsLeastUrgent()) {
            for (int i = running.size() - 2; i >= 0; i--) {
                BlisRequest other = running.get(i);
                int byUrgency = Integer.compare(urgency(other), urgency(victim));
                if (byUrgency > 0
                        || (byUrgency == 0
                                && other.spec().arrival() > victim.spec().arrival())) {
                    victim = other;
                }
            }
        }
        return victim;
    }

    private void admitWaiting(long now) {
        while (running.size() < engine.maxSequences() && !waiting.isEmpty() && budget > 0 && !preempted) {
            BlisRequest request = waiting.get(0);
            if (!hasAdapter(request)) {
                return;
            }
            int[] hits = request.isDecodePart ? new int[0] : cache.hits(request);
            int start = request.isDecodePart ? request.progress : hits.length * engine.blockSize();
            int count = request.isDecodePart ? 1 : promptTokens(request, start);
            if (!cache.allocate(request, start, start + count, hits)) {
                return;
            }
            waiting.remove(0);
            running.add(request);
            request.state = BlisRequest.State.RUNNING;
            request.newTokens = count;
            request.planned = start + count;
            budget -= count;
            events.add(now, SCHEDULED, at -> {});
            request.reportSchedulingDelay(Optional.of(now - request.spec().arrival()));
            pin(request);
        }
    }

    // Carrying a step out.

    private long advance(long now) {
        long prompt = 0;
        long decoding = 0;
        long context = 0;
        for (BlisRequest request : running) {
            if (request.newTokens > 0 && request.isInPrompt()) {
                prompt += request.newTokens;
            } else if (request.newTokens > 0) {
                decoding++;
                context += request.progress;
            }
        }
        long duration = Math.max(1, engine.duration(prompt, decoding, context) + cache.takePendingReload());
        for (BlisRequest request : running) {
            advance(request, now, duration);
        }
        peakBlocks = Math.max(peakBlocks, cache.used());
        blockTime += cache.used() * duration;
        return duration;
    }

    private void advance(BlisRequest request, long now, long duration) {
        long perToken = engine.queueTime()[2];
        if (request.isInPrompt()) {
            request.progress = request.planned;
        } else if (request.newTokens > 0) {
            request.progress++;
            request.addGap(duration + perToken);
        }
        if (request.progress == request.spec().promptLength() && !request.hasFirstToken) {
            request.hasFirstToken = true;
            request.firstTokenTime = now + duration + perToken - request.spec().arrival();
            request.reportTtft(Optional.of(request.firstTokenTime));
        }
    }

    private void complete(long now, long duration) {
        List<BlisRequest> remaining = new ArrayList<>();
        List<BlisRequest> batch = running;
        for (BlisRequest request : batch) {
            BlisRequest.Spec spec = request.spec();
            int output = spec.output().length;
            boolean isDone = request.progress >= spec.promptLength() + Math.max(output, 1) - 1;
            boolean isCut = !isDone && engine.longest() > 0 && request.progress >= engine.longest() - 1;
            if (!isDone && !isCut) {
                remaining.add(request);
                continue;
            }
            request.state = BlisRequest.State.COMPLETED;
            if (isDone && output > 0 && request.progress < spec.promptLength() + output) {
                cache.allocate(request, request.progress, request.progress + 1);
            }
            request.wasCut = isCut;
            cut += isCut ? 1 : 0;
            cache.release(request);
            events.add(now + duration, LEFT, at -> {});
            account(request);
            ends.ended(request, now + duration);
        }
        running = remaining;
    }

    private void account(BlisRequest request) {
        unpin(request);
        completed++;
        ttftSum += request.firstTokenTime;
        int output = request.spec().output().length;
        int generated = request.progress - request.spec().promptLength();
        generated += generated < output ? 1 : 0;
        outputTokens += Math.max(0, generated);
        request.reportE2e(Optional.of(request.firstTokenTime + request.gapSum));
        int divisor = request.wasCut ? request.gaps - 1 : output - 1;
        request.reportMeanGap(Optional.of(output == 0 ? 0 : request.gapSum / (double) Math.max(divisor, 1)));
        gaps += request.gaps;
    }
}
