package dev.stagesim.sim.serving.request;

import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.sim.workload.SessionTurns;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The arrival times, lengths and tokens of all requests. The id of a request is its index.
 *
 * <p>Requests may be in any order. Requests with equal arrival times are handled in list order.
 */
public final class RequestTrace {
    private final double[] arrivalSeconds;
    private final int[] prefillTokens;
    private final int[] decodeTokens;
    private final IntFunction<Tokens> tokens;
    private boolean hasUniqueTokens;
    private boolean hasLabels;
    private @Nullable Sessions sessions;
    private Optional<ClosedLoop> closedLoop = Optional.empty();
    private IntUnaryOperator adapters = request -> 0;
    private IntUnaryOperator priorities = request -> 0;
    private IntUnaryOperator numbers = request -> request;

    /**
     * Wraps arrays of equal length without a copy; the caller must not change them afterwards.
     *
     * @param arrivalSeconds seconds since the start of the run
     * @param prefillTokens prompt lengths
     * @param decodeTokens output lengths
     */
    public RequestTrace(double[] arrivalSeconds, int[] prefillTokens, int[] decodeTokens) {
        this(arrivalSeconds, prefillTokens, decodeTokens, request -> Tokens.from(SharedTokens.promptOf(request)));
        hasUniqueTokens = true;
    }

    /**
     * Wraps the arrays of requests that may share tokens.
     *
     * @param tokens returns the tokens of a request, prompt and output
     */
    public RequestTrace(double[] arrivalSeconds, int[] prefillTokens, int[] decodeTokens, IntFunction<Tokens> tokens) {
        if (arrivalSeconds.length != prefillTokens.length || prefillTokens.length != decodeTokens.length) {
            throw new IllegalArgumentException("trace arrays differ in length");
        }
        this.arrivalSeconds = arrivalSeconds;
        this.prefillTokens = prefillTokens;
        this.decodeTokens = decodeTokens;
        this.tokens = tokens;
    }

    /** Returns the number of tokens of all outputs. */
    public long outputTokens() {
        return Arrays.stream(decodeTokens).asLongStream().sum();
    }

    /**
     * Sets the labels of the requests.
     *
     * @param adapters LoRA adapter of each request, 0 for the base model
     * @param priorities priority of each request; lower values run first
     */
    public RequestTrace labelled(IntUnaryOperator adapters, IntUnaryOperator priorities) {
        hasLabels = true;
        this.adapters = adapters;
        this.priorities = priorities;
        return this;
    }

    /** Sets the numbers that seed the random draws of requests. The default is the index. */
    public RequestTrace numbered(IntUnaryOperator number) {
        numbers = number;
        return this;
    }

    /** Returns the number that seeds the random draws of a request. */
    public int number(int request) {
        return numbers.applyAsInt(request);
    }

    /** Returns true if requests have labels. */
    public boolean hasLabels() {
        return hasLabels;
    }

    /**
     * Returns a copy with sessions. A request continues the latest earlier request of the same adapter whose prompt and
     * whole output are a prefix of its prompt, unless another request already continues that one.
     */
    public RequestTrace resumed() {
        RequestTrace resumed = new RequestTrace(arrivalSeconds, prefillTokens, decodeTokens, tokens);
        resumed.hasUniqueTokens = hasUniqueTokens;
        resumed.hasLabels = hasLabels;
        resumed.adapters = adapters;
        resumed.priorities = priorities;
        resumed.numbers = numbers;
        resumed.closedLoop = closedLoop;
        resumed.sessions = new Sessions(this);
        return resumed;
    }

    /** Limits the requests in flight. The arrival times are then lower bounds of the times of entry. */
    public RequestTrace closed(Optional<ClosedLoop> limit) {
        closedLoop = limit;
        return this;
    }

    /** Returns the limit on the requests in flight; empty for an open loop. */
    public Optional<ClosedLoop> closedLoop() {
        return closedLoop;
    }

    /** Returns the session of a request: the first token that is not part of a shared prefix. */
    public long session(int request) {
        Tokens content = tokens(request);
        int run = 0;
        while (run < content.runs() - 1 && content.first(run) < SharedTokens.promptOf(0)) {
            run++;
        }
        return content.first(run);
    }

    /** Returns the turns of all sessions. */
    public SessionTurns turns() {
        return new SessionTurns(size(), this::session, this::arrivalSeconds);
    }

    /** Returns the request that a request continues, or -1 if it starts a session. */
    public int before(int request) {
        return sessions == null ? -1 : sessions.before(request);
    }

    /** Returns true if any request continues another. */
    public boolean hasSessions() {
        return sessions != null && !sessions.isEmpty();
    }

    /** Returns true if another request continues this one. */
    public boolean hasSuccessor(int request) {
        return sessions != null && sessions.hasSuccessor(request);
    }

    /** Returns the LoRA adapter of a request, or 0 for the base model. */
    public int adapter(int request) {
        return adapters.applyAsInt(request);
    }

    /** Returns the priority of a request; lower values run first. */
    public int priority(int request) {
        return priorities.applyAsInt(request);
    }

    /** Returns the given requests without labels, renumbered from 0 in this order. */
    public RequestTrace part(int[] requests) {
        RequestTrace part = new RequestTrace(
                Arrays.stream(requests).mapToDouble(this::arrivalSeconds).toArray(),
                Arrays.stream(requests).map(this::prefillTokens).toArray(),
                Arrays.stream(requests).map(this::decodeTokens).toArray(),
                request -> tokens(requests[request]));
        part.hasUniqueTokens = hasUniqueTokens;
        part.closedLoop = closedLoop;
        return part.numbered(request -> number(requests[request]));
    }

    /** Declares that no two requests share a token. */
    public RequestTrace withUniqueTokens() {
        hasUniqueTokens = true;
        return this;
    }

    /** Returns true if no two requests share a token, as far as declared. */
    public boolean hasUniqueTokens() {
        return hasUniqueTokens;
    }

    /** Returns the tokens of a request. */
    public Tokens tokens(int request) {
        return tokens.apply(request);
    }

    /** Replaces a complete request with another one. */
    public void replace(int request, double arrival, int prefill, int decode) {
        hasUniqueTokens = false;
        setArrival(request, arrival, prefill, decode);
    }

    /** Sets the arrival time and the lengths of a request; its tokens stay the same. */
    public void setArrival(int request, double arrival, int prefill, int decode) {
        arrivalSeconds[request] = arrival;
        prefillTokens[request] = prefill;
        decodeTokens[request] = decode;
    }

    public int size() {
        return arrivalSeconds.length;
    }

    public double arrivalSeconds(int request) {
        return arrivalSeconds[request];
    }

    public int prefillTokens(int request) {
        return prefillTokens[request];
    }

    /** Returns the arrival times, without a copy; the caller must not change them. */
    public double[] arrivalSeconds() {
        return arrivalSeconds;
    }

    /** Returns the prompt lengths, without a copy; the caller must not change them. */
    public int[] prefillTokens() {
        return prefillTokens;
    }

    /** Returns the output lengths, without a copy; the caller must not change them. */
    public int[] decodeTokens() {
        return decodeTokens;
    }

    public int decodeTokens(int request) {
        return decodeTokens[request];
    }

    /** Returns true if the requests are in order of arrival. */
    public boolean sorted() {
        for (int i = 1; i < arrivalSeconds.length; i++) {
            if (arrivalSeconds[i] < arrivalSeconds[i - 1]) {
                return false;
            }
        }
        return true;
    }
}
