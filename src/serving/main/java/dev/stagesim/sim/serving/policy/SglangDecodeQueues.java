package dev.stagesim.sim.serving.policy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
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
    private final Deque<SglangRequest> unreserved = new ArrayDeque<>();
    private final List<SglangRequest> transferring = new ArrayList<>();
    private final Deque<SglangRequest> retracted = new ArrayDeque<>();

    /** @param maxRunning maximum number of running requests */
    SglangDecodeQueues(TokenPool pool, int maxRunning, SglangConnector connector) {
        this.pool = pool;
        this.connector = connector;
        slots = maxRunning <= FEW_REQUESTS ? 3 * maxRunning : maxRunning;
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
        retracted.remove(request);
    }

    /** The KV cache of a request has arrived. Returns false if the request has ended meanwhile. */
    boolean arrived(SglangRequest request) {
        return transferring.remove(request);
    }

    int size() {
        return unreserved.size() + transferring.size() + retracted.size();
    }

    Stream<SglangRequest> requests() {
        return Stream.of(unreserved, transferring, retracted).flatMap(queue -> queue.stream());
    }

    /**
     * Reserves memory for retracted requests, or for new ones if there are none.
     *
     * @param waiting requests with their KV cache that are not running, which retracted requests join
     */
    void reserve(List<SglangRequest> running, List<SglangRequest> waiting) {
        while (!retracted.isEmpty()) {
            SglangRequest request = retracted.getFirst();
            int length = request.known() - 1;
            int active = running.size() + transferring.size() + waiting.size();
            int reserve = active == 0 ? 0 : (active + 1) * RESERVED_TOKENS;
            if (pool.paged(length) + reserve > pool.available()) {
                return;
            }
            pool.extend(request, length);
            request.isRetracted = false;
            waiting.add(retracted.removeFirst());
        }
        if (unreserved.isEmpty()) {
            return;
        }
        int retractable = 0;
        int longest = 0;
        for (SglangRequest request : running) {
            retractable += request.prompt + request.output();
            longest = Math.max(longest, outputLimit(request) + request.prompt);
        }
        while (!unreserved.isEmpty()
                && pool.requests() < slots
                && fits(unreserved.getFirst(), running.size() + waiting.size(), retractable, longest)) {
            SglangRequest request = unreserved.removeFirst();
            int length = request.prompt - 1; // the last token is the first output, which the next step computes
            pool.extend(request, length);
            transferring.add(request);
            connector.reserved(request, length);
        }
    }

    private static int outputLimit(SglangRequest request) {
        return Math.min(request.maxNew, PrefillBudget.MAX_RESERVED);
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
