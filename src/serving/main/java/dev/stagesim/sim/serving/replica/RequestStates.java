package dev.stagesim.sim.serving.replica;

import dev.stagesim.sim.serving.request.RequestTrace;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The state of every request, with one array per field. The id of a request is its index. Times are in seconds.
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

    private final RequestTrace trace;
    public final double[] arrivedAt;
    /** Lengths; those of the trace until one of them changes. */
    int[] prefill;

    int[] decode;
    private boolean ownsLengths;
    public int[] processed;
    final byte[] flags;
    final int[] restarts;
    public final int[] emitted;
    int[] blocks;
    final double[] scheduledAt;
    final double[] prefillCompletedAt;
    final double[] completedAt;
    public double[] lastIterationEnd;
    public double[] lastStageEnd;
    double[] preempted;
    public double[] execution;
    public double[] modelExecution;

    public RequestStates(RequestTrace trace) {
        int n = trace.size();
        this.trace = trace;
        arrivedAt = new double[n];
        Arrays.setAll(arrivedAt, trace::arrivalSeconds);
        prefill = trace.prefillTokens();
        decode = trace.decodeTokens();
        if (trace.closedLoop().isPresent()) {
            Arrays.fill(arrivedAt, Double.POSITIVE_INFINITY);
        }
        processed = new int[n];
        flags = new byte[n];
        restarts = new int[n];
        emitted = new int[n];
        blocks = new int[n];
        scheduledAt = new double[n];
        prefillCompletedAt = new double[n];
        completedAt = new double[n];
        lastIterationEnd = new double[n];
        lastStageEnd = new double[n];
        preempted = new double[n];
        execution = new double[n];
        modelExecution = new double[n];
        Arrays.fill(blocks, -1);
    }

    /** Resets the entry of a complete request for another request of the trace. */
    public void renew(int request) {
        ownLengths();
        arrivedAt[request] = trace.arrivalSeconds(request);
        prefill[request] = trace.prefillTokens(request);
        decode[request] = trace.decodeTokens(request);
        processed[request] = 0;
        flags[request] = 0;
        restarts[request] = 0;
        emitted[request] = 0;
        blocks[request] = -1;
        scheduledAt[request] = 0;
        prefillCompletedAt[request] = 0;
        completedAt[request] = 0;
        lastIterationEnd[request] = 0;
        lastStageEnd[request] = 0;
        preempted[request] = 0;
        execution[request] = 0;
        modelExecution[request] = 0;
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

    /**
     * Drops the tokens in the KV cache, the times of execution and preemption and the ends of the last batch, which no metric
     * of a complete simulation needs.
     */
    public void dropWork() {
        processed = new int[0];
        blocks = processed;
        lastIterationEnd = new double[0];
        lastStageEnd = lastIterationEnd;
        preempted = lastIterationEnd;
        execution = lastIterationEnd;
        modelExecution = lastIterationEnd;
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
        return processed[request];
    }

    public int restarts(int request) {
        return restarts[request];
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
        return restarts[request] > 0 || (flags[request] & SCHEDULED) != 0;
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
        return execution[request];
    }

    /** Returns the part of {@link #execution} without CPU overheads. */
    public double modelExecution(int request) {
        return modelExecution[request];
    }

    /** Returns the seconds between stage executions: pipeline bubbles and waits between iterations or after a restart. */
    public double preempted(int request) {
        return preempted[request];
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
            prefill[request] = processed[request];
            decode[request] = total - processed[request];
        }
        processed[request] = 0;
        flags[request] = 0;
        restarts[request]++;
    }
}
