package dev.stagesim.sim.serving.policy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The queues of an SGLang decode engine before its running requests: requests wait for memory, then for their KV cache.
 *
 * <p>Memory is reserved in order of arrival, before the prefill engine computes the prompt. {@code specs/sglang.md} contains
 * the rules.
 */
final class SglangDecodeQueues {
    /** Tokens for which memory is left free per active request. */
    private static final int RESERVED_TOKENS = 512;

    /** Maximum limit of running requests with further slots for requests in transfer, twice as many. */
    private static final int FEW_REQUESTS = 32;

    private final TokenPool pool;
    private final SglangConnector connector;
    private final int slots;
    private final int transfers;
    private final Deque<SglangRequest> unreserved = new ArrayDeque<>();
    private final List<SglangRequest> transferring = new ArrayList<>();
    private final Deque<SglangRequest> retracted = new ArrayDeque<>();

    /** Requests in transfer whose KV cache has arrived. */
    private final Set<SglangRequest> arrived = new LinkedHashSet<>();

    /** @param maxRunning maximum number of running requests */
    SglangDecodeQueues(TokenPool pool, int maxRunning, SglangConnector connector) {
        this.pool = pool;
        this.connector = connector;
        slots = maxRunning <= FEW_REQUESTS ? 3 * maxRunning : maxRunning;
        transfers = 2 * maxRunning;
    }

    void add(SglangRequest request) {
        unreserved.add(request);
    }

    /** Adds a retracted request. Its KV cache is in host memory, so that it is not computed again. */
    void retract(SglangRequest request) {
        retracted.add(request);
    }

    void remove(SglangRequest request) {
        unreserved.remove(request);
        transferring.remove(request);
        arrived.remove(request);
        retracted.remove(request);
    }

    /** The KV cache of a request has arrived; no effect if the request has ended meanwhile. */
    void arrived(SglangRequest request) {
        if (transferring.contains(request)) {
            arrived.add(request);
        }
    }

    int size() {
        return unreserved.size() + transferring.size() + retracted.size();
    }

    Stream<SglangRequest> requests() {
        return Stream.of(unreserved, transferring, retracted).flatMap(queue -> queue.stream());
    }

    /**
     * Prepares a step: resumes retracted requests; if none is left, reserves memory for new ones and passes on the requests
     * with their KV cache.
     *
     * @param running running requests, with those that ended in the last step
     * @param ready requests with their KV cache that are not running, to which others are added
     */
    void prepare(List<SglangRequest> running, List<SglangRequest> ready) {
        resume(running.size(), ready);
        if (retracted.isEmpty()) {
            reserve(running, ready.size());
            ready.addAll(transferring.stream().filter(arrived::contains).toList());
            transferring.removeIf(arrived::remove);
        }
    }

    private void resume(int running, List<SglangRequest> ready) {
        while (!retracted.isEmpty() && pool.requests() < slots) {
            SglangRequest request = retracted.getFirst();
            int length = request.known() - 1;
            int active = running + transferring.size() + ready.size();
            int reserve = active == 0 ? 0 : (active + 1) * RESERVED_TOKENS;
            if (pool.paged(length) + reserve > pool.available()) {
                return;
            }
            pool.extend(request, length);
            request.isRetracted = false;
            ready.add(retracted.removeFirst());
        }
    }

    private void reserve(List<SglangRequest> running, int ready) {
        if (unreserved.isEmpty()) {
            return;
        }
        int retractable = 0;
        int longest = 0;
        for (SglangRequest request : running) {
            retractable += request.prompt + request.output();
            longest = Math.max(longest, request.prompt - 1 + outputLimit(request));
        }
        while (!unreserved.isEmpty()
                && pool.requests() < slots
                && transferring.size() < transfers
                && fits(unreserved.getFirst(), running.size() + ready, retractable, longest)) {
            SglangRequest request = unreserved.removeFirst();
            int length = request.prompt - 1; // the last token is the first output, which the next step computes
            pool.extend(request, length);
            transferring.add(request);
            connector.reserved(request, length);
        }
    }

    /** Returns the output for which memory is left, with the first token, which is part of the prompt here. */
    private static int outputLimit(SglangRequest request) {
        return Math.min(request.maxNew + 1, PrefillBudget.MAX_RESERVED);
    }

    /**
     * Returns true if memory can be reserved for a request.
     *
     * @param received number of requests with their KV cache
     * @param retractable tokens of the running requests
     * @param longest prompt and maximum output of a running request
     */
    private boolean fits(SglangRequest request, int received, int retractable, int longest) {
        int length = request.prompt - 1;
        int active = received + transferring.size();
        int needed = length + outputLimit(request) - retractable;
        if (active == 0) {
            // a reserve could never be left free by other requests
            return Math.max(pool.paged(length), needed) <= pool.available();
        }
        int reserved = Math.max(active * RESERVED_TOKENS, longest - retractable);
        return Math.max(pool.paged(length) + RESERVED_TOKENS, needed) <= pool.available() - reserved;
    }
}
