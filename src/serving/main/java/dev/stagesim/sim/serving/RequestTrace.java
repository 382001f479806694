package dev.stagesim.sim.serving;

import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The requests: when each arrives and how long it is; a request's id is its index.
 *
 * <p>Requests may be listed in any order; those that arrive at the same time are handled in list order.
 */
public final class RequestTrace {
    private final double[] arrivalSeconds;
    private final int[] prefillTokens;
    private final int[] decodeTokens;
    private final IntFunction<Tokens> tokens;
    private boolean sharesNothing;
    private boolean hasLabels;
    private @Nullable Sessions sessions;
    private IntUnaryOperator adapters = request -> 0;
    private IntUnaryOperator priorities = request -> 0;
    private IntUnaryOperator numbers = request -> request;

    /**
     * Wraps the arrays, which must be equally long and are not copied; the caller must leave them alone afterwards.
     *
     * @param arrivalSeconds seconds since run start
     * @param prefillTokens prompt lengths
     * @param decodeTokens output lengths
     */
    public RequestTrace(double[] arrivalSeconds, int[] prefillTokens, int[] decodeTokens) {
        this(arrivalSeconds, prefillTokens, decodeTokens, request -> Tokens.from(SharedTokens.promptOf(request)));
        sharesNothing = true;
    }

    /**
     * Requests some of whose tokens are the same.
     *
     * @param tokens the tokens of each request, prompt and output
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

    /** Tokens of all outputs. */
    public long outputTokens() {
        return Arrays.stream(decodeTokens).asLongStream().sum();
    }

    /**
     * Says what requests carry besides their tokens.
     *
     * @param adapters number of each request's LoRA adapter, 0 for the base model
     * @param priorities priority of each request; smaller is sooner
     */
    public RequestTrace labelled(IntUnaryOperator adapters, IntUnaryOperator priorities) {
        hasLabels = true;
        this.adapters = adapters;
        this.priorities = priorities;
        return this;
    }

    /** Sets the number that draws for a request depend on, if it is another than its index. */
    public RequestTrace numbered(IntUnaryOperator number) {
        numbers = number;
        return this;
    }

    /** Returns the number that draws for a request depend on. */
    public int number(int request) {
        return numbers.applyAsInt(request);
    }

    /** Whether requests carry anything besides their tokens. */
    public boolean hasLabels() {
        return hasLabels;
    }

    /**
     * Notes which requests go on from another: the latest before them whose prompt and whole output their prompt begins with,
     * for the same adapter, and that no other request goes on from.
     */
    public RequestTrace resumed() {
        RequestTrace resumed = new RequestTrace(arrivalSeconds, prefillTokens, decodeTokens, tokens);
        resumed.sharesNothing = sharesNothing;
        resumed.hasLabels = hasLabels;
        resumed.adapters = adapters;
        resumed.priorities = priorities;
        resumed.numbers = numbers;
        resumed.sessions = new Sessions(this);
        return resumed;
    }

    /** The request that a request goes on from, -1 for none. */
    public int before(int request) {
        return sessions == null ? -1 : sessions.before(request);
    }

    /** Whether some request goes on from another. */
    public boolean hasSessions() {
        return sessions != null && !sessions.isEmpty();
    }

    /** Whether a request goes on from this one. */
    public boolean isFollowed(int request) {
        return sessions != null && sessions.isFollowed(request);
    }

    /** The LoRA adapter of a request, 0 for the base model. */
    public int adapter(int request) {
        return adapters.applyAsInt(request);
    }

    /** The priority of a request; smaller is sooner. */
    public int priority(int request) {
        return priorities.applyAsInt(request);
    }

    /** Some of the requests without what they carry besides, numbered from 0 in this order. */
    public RequestTrace part(int[] requests) {
        RequestTrace part = new RequestTrace(
                Arrays.stream(requests).mapToDouble(this::arrivalSeconds).toArray(),
                Arrays.stream(requests).map(this::prefillTokens).toArray(),
                Arrays.stream(requests).map(this::decodeTokens).toArray(),
                request -> tokens(requests[request]));
        part.sharesNothing = sharesNothing;
        return part.numbered(request -> number(requests[request]));
    }

    /** Notes that no two requests have a token in common. */
    public RequestTrace sharingNothing() {
        sharesNothing = true;
        return this;
    }

    /** Whether no two requests are known to have a token in common. */
    public boolean sharesNothing() {
        return sharesNothing;
    }

    /** What the tokens of a request are. */
    public Tokens tokens(int request) {
        return tokens.apply(request);
    }

    /** Puts another request in the place of one that is done. */
    public void replace(int request, double arrival, int prefill, int decode) {
        sharesNothing = false;
        comes(request, arrival, prefill, decode);
    }

    /** A request comes at such a time, with such lengths; its tokens stay what they are. */
    public void comes(int request, double arrival, int prefill, int decode) {
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

    public int decodeTokens(int request) {
        return decodeTokens[request];
    }

    /** True when no request arrives before the one listed ahead of it. */
    boolean sorted() {
        for (int i = 1; i < arrivalSeconds.length; i++) {
            if (arrivalSeconds[i] < arrivalSeconds[i - 1]) {
                return false;
            }
        }
        return true;
    }
}
