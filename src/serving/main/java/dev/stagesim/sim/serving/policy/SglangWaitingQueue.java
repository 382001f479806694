package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.SglangRule;
import dev.stagesim.sim.serving.settings.SchedulePolicy;
import dev.stagesim.sim.serving.settings.SglangSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Requests that do not run. Ready requests are sorted by the schedule policy. A decode engine also has requests without
 * memory or KV cache.
 */
final class SglangWaitingQueue {
    /** Number of sorts of the queue between uses of the prefixes of its requests. */
    private static final int REFRESH_INTERVAL = 32;

    /** Number in the name of the first request; names are compared as text. */
    private static final int FIRST_NAME = 1_000_000_000;

    private final SglangSettings settings;
    private final TokenPool pool;
    private final QueueOrder order;

    /** Requests of a decode engine without memory or KV cache, or null for other engines. */
    private final @Nullable SglangDecodeQueues received;

    /** Number of requests of a prefill engine that can have a buffer, or the maximum for other engines. */
    private final int maxBuffers;

    /** Requests of a prefill engine that wait for a buffer. */
    private final Deque<SglangRequest> unbuffered = new ArrayDeque<>();

    private List<SglangRequest> requests = new ArrayList<>();
    private int buffers;
    private long entries;
    private long sorts;

    SglangWaitingQueue(SglangSettings settings, TokenPool pool, @Nullable SglangDecodeQueues received, int maxBuffers) {
        this.received = received;
        this.maxBuffers = maxBuffers;
        this.settings = settings;
        this.pool = pool;
        order = new QueueOrder(settings.order(), QueueOrder.Priorities.IGNORED, pool.tree());
    }

    /** Returns the requests that are ready for admission, in their current order. */
    List<SglangRequest> ready() {
        return requests;
    }

    /** Returns all requests that do not run. */
    Stream<SglangRequest> all() {
        return Stream.concat(requests.stream(), received == null ? unbuffered.stream() : received.requests());
    }

    int size() {
        return requests.size() + (received == null ? unbuffered.size() : received.size());
    }

    boolean isOfDecodeEngine() {
        return received != null;
    }

    /** @param processed tokens that the engine has planned, as it counts them */
    void add(SglangRequest request, long processed) {
        if (received != null) {
            received.add(request);
        } else {
            unbuffered.add(request);
            assignBuffers(processed);
        }
    }

    /** Moves requests to the queue, in order of arrival, as long as buffers are free. */
    void assignBuffers(long processed) {
        while (!unbuffered.isEmpty() && buffers < maxBuffers) {
            buffers++;
            SglangRequest request = unbuffered.removeFirst();
            request.hasBuffer = true;
            enqueue(request, processed);
        }
    }

    /** Frees the buffer of a request, if it has one. */
    void freeBuffer(SglangRequest request) {
        buffers -= request.hasBuffer ? 1 : 0;
        request.hasBuffer = false;
    }

    private void enqueue(SglangRequest request, long processed) {
        request.processedBefore = processed;
        request.entered = entries++;
        requests.add(request);
    }

    /** Adds a request that ran. */
    void retract(SglangRequest request, long processed) {
        if (received == null) {
            enqueue(request, processed);
        } else {
            received.retract(request);
        }
    }

    /** The KV cache of a request of a decode engine has arrived; no effect if the request has ended meanwhile. */
    void arrived(SglangRequest request) {
        if (received != null) {
            received.arrived(request);
        }
    }

    void remove(SglangRequest request) {
        requests.remove(request);
        unbuffered.remove(request);
        freeBuffer(request);
        if (received != null) {
            received.remove(request);
        }
    }

    /** Reserves memory on a decode engine, and removes and returns the requests that can start to decode. */
    List<SglangRequest> started(List<SglangRequest> running, int maxRunning) {
        if (received == null) {
            return List.of();
        }
        received.prepare(running, requests);
        List<SglangRequest> first =
                requests.subList(0, Math.max(0, Math.min(requests.size(), maxRunning - running.size())));
        List<SglangRequest> started = List.copyOf(first);
        first.clear();
        return started;
    }

    void sort(long processed) {
        boolean isMatched = settings.order() != SchedulePolicy.FCFS && sortByPolicy(processed);
        if (!isMatched
                && !requests.isEmpty()
                && settings.rules().has(SglangRule.REFRESHES_WAITING_PREFIXES)
                && sorts++ % REFRESH_INTERVAL == 0) {
            pool.refresh(requests.subList(0, Math.min(requests.size(), QueueOrder.MAX_MATCHED)));
        }
    }

    /** Sorts the queue. Returns true if the policy used the cache. */
    private boolean sortByPolicy(long processed) {
        boolean readsNames = settings.order() == SchedulePolicy.HRRN;
        List<QueueOrder.Waiting> queue = new ArrayList<>(requests.size());
        for (SglangRequest request : requests) {
            queue.add(new QueueOrder.Waiting(
                    request.key(request.known()),
                    request.prompt,
                    0,
                    request.maxNew,
                    request.entered,
                    null,
                    readsNames ? Integer.toString(FIRST_NAME + request.index) : "",
                    request.processedBefore));
        }
        QueueOrder.Order result = order.order(queue, List.of(), processed);
        List<SglangRequest> sorted = new ArrayList<>(requests.size());
        for (int place : result.order()) {
            SglangRequest request = requests.get(place);
            sorted.add(request);
            if (result.matched().length > 0) {
                request.work = QueueOrder.work(queue.get(place), result.matched()[place]);
            }
        }
        requests = sorted;
        return result.matched().length > 0;
    }
}
