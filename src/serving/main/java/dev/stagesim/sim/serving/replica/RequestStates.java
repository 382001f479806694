package dev.stagesim.sim.serving.replica;

import dev.stagesim.sim.serving.request.RequestTrace;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The state of every request, with one array per field. The id of a request is its index. Times are in seconds.
 *
 * <p>A simulation of known requests keeps {@link RequestProgress} only from the arrival of a request to its {@link #release}.
 *
 * <p>Recorders use the accessors; only the simulator and its schedulers write the arrays. The state of a member of a
 * {@link Cohort} is written later.
 *
 * <p>Times are doubles: bit-exact agreement with the reference requires its additions in its order. Artifacts contain
 * integer nanoseconds.
 */
public final class RequestStates {
    static final byte SCHEDULED = 1;
    static final byte PREFILL_DONE = 2;
    static final byte COMPLETED = 4;

    /** Withdrawn while in a batch or before placement on a replica. */
    public static final byte WITHDRAWN = 8;

    /** Initial entries of the state that is released. */
    private static final int MIN_WINDOW = 1 << 10;

    private final RequestTrace trace;
    /** Arrival times; those of the trace unless the simulation sets them. */
    public final double[] arrivedAt;
    /** Lengths; those of the trace until one of them changes. */
    int[] prefill;

    int[] decode;
    private boolean ownsLengths;
    public RequestProgress progress;
    final byte[] flags;
    /** Empty until a request restarts, except for slots. */
    private int[] restarts = {};

    public final int[] emitted;
    final double[] scheduledAt;
    final double[] prefillCompletedAt;
    final double[] completedAt;
    /** Number of leading requests with released progress. */
    private volatile int released;

    /** Creates the states of slots for requests, or of requests that are never released. */
    public RequestStates(RequestTrace trace) {
        this(trace, trace.arrivalSeconds().clone(), trace.size());
        restarts = new int[trace.size()];
    }

    private RequestStates(RequestTrace trace, double[] arrivedAt, int window) {
        int n = trace.size();
        this.trace = trace;
        this.arrivedAt = arrivedAt;
        prefill = trace.prefillTokens();
        decode = trace.decodeTokens();
        progress = new RequestProgress(window, n);
        flags = new byte[n];
        emitted = new int[n];
        scheduledAt = new double[n];
        prefillCompletedAt = new double[n];
        completedAt = new double[n];
    }

    /** Creates the states of requests that are opened in about the order of the trace. */
    public static RequestStates inOrder(RequestTrace trace) {
        double[] arrivals = trace.arrivalSeconds();
        if (trace.closedLoop().isPresent()) {
            arrivals = new double[arrivals.length];
            Arrays.fill(arrivals, Double.POSITIVE_INFINITY);
        }
        return new RequestStates(trace, arrivals, MIN_WINDOW);
    }

    /** Resets the progress of a request that arrives. */
    public void open(int request) {
        int from = released;
        while (request - from >= progress.length() && progress.length() < size()) {
            RequestProgress longer = new RequestProgress(2 * progress.length(), size());
            for (int i = from; i < Math.min(size(), from + progress.length()); i++) {
                longer.copy(progress, i);
            }
            progress = longer;
        }
        progress.reset(request);
    }

    /** Releases the progress of all requests before {@code end}; another thread may call it. */
    public void release(int end) {
        released = end;
    }

    /** Resets the entry of a complete request for another request of the trace. */
    public void renew(int request) {
        ownLengths();
        open(request);
        arrivedAt[request] = trace.arrivalSeconds(request);
        prefill[request] = trace.prefillTokens(request);
        decode[request] = trace.decodeTokens(request);
        flags[request] = 0;
        restarts[request] = 0;
        emitted[request] = 0;
        scheduledAt[request] = 0;
        prefillCompletedAt[request] = 0;
        completedAt[request] = 0;
    }

    private void ownLengths() {
        if (!ownsLengths) {
            int[] prompts = prefill.clone();
            int[] outputs = decode.clone();
            VarHandle.releaseFence(); // a thread that writes rows may read the lengths of settled requests
            prefill = prompts;
            decode = outputs;
            ownsLengths = true;
        }
    }

    /** Drops the progress of all requests, which no metric of a complete simulation needs. */
    public void dropProgress() {
        release(size());
        progress = new RequestProgress(1, size());
    }

    private int progressOf(int request) {
        if (request < released) {
            throw new IllegalStateException("the progress of request " + request + " was released");
        }
        return progress.at(request);
    }

    public int size() {
        return arrivedAt.length;
    }

    /** Returns the original lengths and arrival times. */
    public RequestTrace trace() {
        return trace;
    }

    /** Returns the arrival time; in a closed loop, the time of entry, which is infinite before it. */
    public double arrivedAt(int request) {
        return arrivedAt[request];
    }

    /** Returns the prompt length; after a restart, it includes the generated tokens, which are recomputed. */
    public int prefillTokens(int request) {
        return prefill[request];
    }

    /** Returns the output length; after a restart, the remaining output. */
    public int decodeTokens(int request) {
        return decode[request];
    }

    /** Returns the tokens that have, or are about to get, an entry in the KV cache. */
    public int processedTokens(int request) {
        return progress.processed[progressOf(request)];
    }

    public int restarts(int request) {
        return restarts.length == 0 ? 0 : restarts[request];
    }

    void addRestart(int request) {
        if (restarts.length == 0) {
            restarts = new int[size()];
        }
        restarts[request]++;
    }

    /** Returns the number of output tokens so far. */
    public int emittedTokens(int request) {
        return emitted[request];
    }

    public boolean completed(int request) {
        return (flags[request] & COMPLETED) != 0;
    }

    /** Returns true if a request was withdrawn and has not left its batch yet. */
    public boolean withdrawn(int request) {
        return (flags[request] & WITHDRAWN) != 0;
    }

    /** Returns true if a request is in no further batch. */
    boolean over(int request) {
        return (flags[request] & (COMPLETED | WITHDRAWN)) != 0;
    }

    /** Returns true if a request was ever in a batch. */
    public boolean everScheduled(int request) {
        return restarts(request) > 0 || (flags[request] & SCHEDULED) != 0;
    }

    /** Returns the time of the first batch. */
    public double scheduledAt(int request) {
        return scheduledAt[request];
    }

    /** Returns the end of the first complete prefill, or 0 before it. */
    public double prefillCompletedAt(int request) {
        return prefillCompletedAt[request];
    }

    public double completedAt(int request) {
        return completedAt[request];
    }

    /** Returns the total time of stages on batches with this request, in seconds. */
    public double execution(int request) {
        return progress.execution[progressOf(request)];
    }

    /** Returns the part of {@link #execution} without CPU overheads. */
    public double modelExecution(int request) {
        return progress.modelExecution[progressOf(request)];
    }

    /** Returns the seconds between stage executions: pipeline bubbles and waits between iterations or after a restart. */
    public double preempted(int request) {
        return progress.preempted[progressOf(request)];
    }

    boolean prefillDone(int request) {
        return (flags[request] & PREFILL_DONE) != 0;
    }

    public void set(int request, byte flag) {
        flags[request] |= flag;
    }

    /**
     * Resets a request; its generated tokens become part of its prompt.
     *
     * @param shrinkPartialPrefill true for the behaviour of the reference with a partly computed prompt: the computed part
     *         becomes the whole prompt and the rest becomes output; false keeps the prompt
     */
    void restart(int request, boolean shrinkPartialPrefill) {
        if (shrinkPartialPrefill || prefillDone(request)) {
            ownLengths();
            int total = prefill[request] + decode[request];
            int processed = progress.processed[progress.at(request)];
            prefill[request] = processed;
            decode[request] = total - processed;
        }
        progress.processed[progress.at(request)] = 0;
        flags[request] = 0;
        addRestart(request);
    }
}
