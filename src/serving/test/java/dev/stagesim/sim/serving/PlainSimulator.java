package dev.stagesim.sim.serving;

import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.core.Mt19937;
import dev.stagesim.sim.serving.replica.OutOfBlocksException;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.workload.ClosedLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.IntUnaryOperator;

/**
 * A second implementation of {@code specs/serving.md} for comparison with the kernel. It favours clarity over speed:
 * objects in lists, individual requests, a queue of events.
 */
final class PlainSimulator {
    final List<PlainRequest> requests = new ArrayList<>();
    final List<String> log = new ArrayList<>();
    private final ServingSpec spec;
    private final PlainStep steps;
    private final List<PlainReplica> replicas = new ArrayList<>();
    private final List<List<Deque<PlainBatch>>> queues = new ArrayList<>();
    private final List<List<Boolean>> busy = new ArrayList<>();
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingDouble(Event::time).thenComparingLong(Event::id));
    /** Sessions that no client has started, each with its requests. */
    private final Deque<Deque<PlainRequest>> unsent = new ArrayDeque<>();

    /** Turns that follow a request, the next one first. */
    private final Map<PlainRequest, Deque<PlainRequest>> followers = new HashMap<>();

    private final Map<PlainRequest, Double> gaps = new HashMap<>();
    private final List<PlainRequest> globalQueue = new ArrayList<>();
    private final Mt19937 random;
    private long lastEvent;
    private long nextBatch;
    private int turn;
    double now;

    private record Event(double time, long id, Runnable what) {}

    /** Creates a simulation of a complete trace. */
    PlainSimulator(ServingSpec spec, RequestTrace trace, OperatorTimes times) {
        this(spec, times);
        for (int i = 0; i < trace.size(); i++) {
            PlainRequest request =
                    new PlainRequest(i, trace.arrivalSeconds(i), trace.prefillTokens(i), trace.decodeTokens(i));
            requests.add(request);
            create(request.arrived, () -> arrive(request));
        }
    }

    /**
     * Creates a simulation of clients. Each client sends the next request when its previous one completes, but not before
     * its arrival time; within a session, the time between the arrivals later.
     *
     * @param session session of each request
     */
    PlainSimulator(
            ServingSpec spec, RequestTrace trace, OperatorTimes times, ClosedLoop loop, IntUnaryOperator session) {
        this(spec, times);
        lastEvent = trace.size();
        Map<Integer, Deque<PlainRequest>> sessions = new LinkedHashMap<>();
        for (int i = 0; i < trace.size(); i++) {
            requests.add(new PlainRequest(i, trace.arrivalSeconds(i), trace.prefillTokens(i), trace.decodeTokens(i)));
            sessions.computeIfAbsent(session.applyAsInt(i), any -> new ArrayDeque<>())
                    .add(requests.get(i));
        }
        unsent.addAll(sessions.values());
        for (int client = 0; client < loop.concurrency(); client++) {
            events.add(new Event(loop.rampUpSeconds() * client / loop.concurrency(), 0, this::sendNext));
        }
    }

    private void sendNext() {
        if (!unsent.isEmpty()) {
            Deque<PlainRequest> session = unsent.remove();
            send(session, Math.max(now, session.element().arrived));
        }
    }

    private void send(Deque<PlainRequest> session, double time) {
        PlainRequest request = session.remove();
        double gap = session.isEmpty() ? 0 : session.element().arrived - request.arrived;
        gaps.put(request, gap);
        followers.put(request, session);
        request.arrived = time;
        events.add(new Event(time, request.id + 1, () -> arrive(request)));
    }

    private void answered(PlainRequest request) {
        Deque<PlainRequest> session = followers.getOrDefault(request, new ArrayDeque<>());
        if (!session.isEmpty()) {
            send(session, now + gaps.getOrDefault(request, 0.0));
        } else if (!unsent.isEmpty()) {
            events.add(new Event(now, 0, this::sendNext));
        }
    }

    /** Creates a simulation that {@link #submit} and {@link #withdraw} drive. */
    PlainSimulator(ServingSpec spec, OperatorTimes times) {
        this.spec = spec;
        this.steps = new PlainStep(spec, times);
        this.random = Mt19937.pythonSeed(spec.cluster().seed());
        MemoryPlan plan = MemoryPlan.of(spec);
        for (int r = 0; r < spec.cluster().replicas(); r++) {
            replicas.add(new PlainReplica(spec, plan, log));
            queues.add(new ArrayList<>());
            busy.add(new ArrayList<>());
            for (int s = 0; s < spec.cluster().pipelineStages(); s++) {
                queues.get(r).add(new ArrayDeque<>());
                busy.get(r).add(false);
            }
        }
    }

    /** Submits a request before all other events at its arrival time. */
    void submit(PlainRequest request) {
        advanceBefore(request.arrived);
        now = request.arrived;
        requests.add(request);
        arrive(request);
    }

    /** Cancels a request before all other events at that time. */
    void withdraw(PlainRequest request, double time) {
        advanceBefore(time);
        if (request.completed || request.withdrawn) {
            return;
        }
        if (request.replica < 0) {
            request.withdrawn = true;
            now = time;
            return;
        }
        now = time;
        if (replicas.get(request.replica).withdraw(request)) {
            log.add("withdrawn " + request.id);
            sample(request.replica);
            create(now, () -> scheduleReplica(request.replica));
        }
    }

    /** Processes all events before a time. */
    void advanceBefore(double time) {
        while (!events.isEmpty() && events.peek().time < time) {
            Event event = events.remove();
            now = event.time;
            event.what.run();
        }
    }

    /** Runs to the end. Returns false if the scheduler runs out of blocks. */
    boolean run() {
        double limit = spec.timeLimitSeconds();
        try {
            while (!events.isEmpty()) {
                Event event = events.remove();
                now = event.time;
                event.what.run();
                if (limit > 0 && now > limit) {
                    break;
                }
            }
            return true;
        } catch (OutOfBlocksException e) {
            return false;
        }
    }

    private void create(double time, Runnable what) {
        events.add(new Event(time, ++lastEvent, what));
    }

    private void arrive(PlainRequest request) {
        double delay = spec.timing().requestSeconds();
        if (delay == 0) {
            globalQueue.add(request);
            create(now, this::scheduleGlobally);
        } else {
            create(now + delay, () -> {
                globalQueue.add(request);
                scheduleGlobally();
            });
        }
    }

    private void scheduleGlobally() {
        globalQueue.sort(Comparator.comparingDouble(r -> r.arrived));
        int[] pending = replicas.stream()
                .mapToInt(r -> spec.quirks() ? r.waiting.size() : r.outstanding)
                .toArray();
        boolean[] touched = new boolean[pending.length];
        for (PlainRequest request : globalQueue) {
            if (request.withdrawn) {
                log.add("withdrawn " + request.id);
                continue;
            }
            int replica = place(pending);
            pending[replica]++;
            touched[replica] = true;
            request.replica = replica;
            replicas.get(replica).waiting.add(request);
            replicas.get(replica).outstanding++;
            log.add("assigned " + request.id + " " + replica);
        }
        globalQueue.clear();
        for (int r = 0; r < touched.length; r++) {
            if (touched[r]) {
                int replica = r;
                create(now, () -> scheduleReplica(replica));
            }
        }
    }

    private int place(int[] pending) {
        return switch (spec.cluster().policy()) {
            case ROUND_ROBIN -> turn++ % pending.length;
            case RANDOM -> (int) random.below(pending.length);
            case LOR -> {
                int min = 0;
                for (int r = 0; r < pending.length; r++) {
                    min = pending[r] < pending[min] ? r : min;
                }
                yield min;
            }
        };
    }

    private void scheduleReplica(int r) {
        PlainReplica replica = replicas.get(r);
        boolean formed = false;
        while (replica.inFlight < spec.cluster().pipelineStages()) {
            PlainBatch batch = new PlainBatch(r, now);
            replica.form(batch);
            if (batch.requests.isEmpty()) {
                break;
            }
            formed = true;
            batch.id = nextBatch++;
            replica.inFlight++;
            log.add("batch " + batch.id + " on " + r + " " + batch);
            create(now, () -> arriveAtStage(batch, 0));
        }
        if (formed) {
            sample(r);
        }
    }

    private void arriveAtStage(PlainBatch batch, int stage) {
        queues.get(batch.replica).get(stage).add(batch);
        create(now, () -> scheduleStage(batch.replica, stage));
    }

    private void scheduleStage(int replica, int stage) {
        Deque<PlainBatch> queue = queues.get(replica).get(stage);
        if (busy.get(replica).get(stage) || queue.isEmpty()) {
            return;
        }
        busy.get(replica).set(stage, true);
        PlainBatch batch = queue.remove();
        for (PlainRequest request : batch.requests) {
            request.preempted = request.lastStageEnd == 0 ? 0 : request.preempted + (now - request.lastStageEnd);
        }
        double model = steps.modelSeconds(batch, stage == spec.cluster().pipelineStages() - 1);
        double total = model + steps.hostSeconds(batch);
        log.add("stage " + stage + " of " + batch.id + " " + steps.mfuPercent(batch, total));
        create(now + total, () -> endStage(batch, stage, total, model));
    }

    private void endStage(PlainBatch batch, int stage, double total, double model) {
        busy.get(batch.replica).set(stage, false);
        for (PlainRequest request : batch.requests) {
            request.lastStageEnd = now;
            request.execution += total;
            request.model += model;
        }
        create(now, () -> scheduleStage(batch.replica, stage));
        boolean last = stage == spec.cluster().pipelineStages() - 1;
        create(now, last ? () -> endBatch(batch) : () -> arriveAtStage(batch, stage + 1));
    }

    private void endBatch(PlainBatch batch) {
        for (int i = 0; i < batch.requests.size(); i++) {
            batch.requests.get(i).advance(batch.tokens.get(i), now);
        }
        batch.requests.stream().filter(r -> r.completed).forEach(r -> {
            log.add("done " + r.id);
            answered(r);
        });
        for (PlainRequest request : batch.requests) {
            if (request.prefillCompletedAt == now) {
                log.add("prompt " + request.prefill);
            }
            if (request.processed > request.prefill + 1) {
                double waited = batch.formedAt - request.lastIterationEnd;
                log.add("latency " + (now - batch.formedAt + waited));
            }
            request.lastIterationEnd = now;
            if (request.processed > request.prefill) {
                log.add("token " + request.id + " " + request.emitted++ + " " + now);
            }
        }
        PlainReplica replica = replicas.get(batch.replica);
        replica.inFlight--;
        replica.requeue(batch).forEach(request -> log.add("withdrawn " + request.id));
        sample(batch.replica);
        create(now, () -> scheduleReplica(batch.replica));
    }

    private void sample(int r) {
        PlainReplica replica = replicas.get(r);
        log.add("memory " + r + " " + replica.allocated + " waiting " + replica.waiting.size());
    }
}
