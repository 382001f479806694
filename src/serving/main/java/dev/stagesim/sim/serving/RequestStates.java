package dev.stagesim.sim.serving;

import java.util.Arrays;

/**
 * The state of every request, one array for each field; a request's id is its index. Times are seconds.
 *
 * <p>Recorders read it through the accessors; only the simulator and its schedulers write the arrays. While a request is
 * in a {@link Cohort}, what that keeps is written here later.
 *
 * <p>Times are doubles because agreement with the reference to the last bit needs its additions in its order;
 * they become integer nanoseconds only where artifacts are written.
 */
public final class RequestStates {
    static final byte SCHEDULED = 1;
    static final byte PREFILL_DONE = 2;
    static final byte COMPLETED = 4;

    /** Given up while it was in a batch or on its way to a replica. */
    static final byte WITHDRAWN = 8;

    private final RequestTrace trace;
    final double[] arrivedAt;
    final int[] prefill;
    final int[] decode;
    final int[] processed;
    final byte[] flags;
    final int[] restarts;
    final int[] emitted;
    final int[] blocks;
    final double[] scheduledAt;
    final double[] prefillCompletedAt;
    final double[] completedAt;
    final double[] lastIterationEnd;
    final double[] lastStageEnd;
    final double[] preempted;
    final double[] execution;
    final double[] modelExecution;

    public RequestStates(RequestTrace trace) {
        int n = trace.size();
        this.trace = trace;
        arrivedAt = new double[n];
        prefill = new int[n];
        decode = new int[n];
        for (int i = 0; i < n; i++) {
            arrivedAt[i] = trace.arrivalSeconds(i);
            prefill[i] = trace.prefillTokens(i);
            decode[i] = trace.decodeTokens(i);
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

    /** Forgets a request that is done; another one of the trace is in its place. */
    void renew(int request) {
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

    public int size() {
        return arrivedAt.length;
    }

    /** The lengths and arrivals as given. */
    public RequestTrace trace() {
        return trace;
    }

    public double arrivedAt(int request) {
        return arrivedAt[request];
    }

    /** Prompt length; after a restart the tokens that are computed again. */
    public int prefillTokens(int request) {
        return prefill[request];
    }

    /** Output length; after a restart what is left of it. */
    public int decodeTokens(int request) {
        return decode[request];
    }

    /** Tokens that have a place in the KV cache, or are about to. */
    public int processedTokens(int request) {
        return processed[request];
    }

    public int restarts(int request) {
        return restarts[request];
    }

    /** Output tokens so far. */
    public int emittedTokens(int request) {
        return emitted[request];
    }

    public boolean completed(int request) {
        return (flags[request] & COMPLETED) != 0;
    }

    /** True when it was given up and had not left its batch yet. */
    boolean withdrawn(int request) {
        return (flags[request] & WITHDRAWN) != 0;
    }

    /** True when it goes on in no batch. */
    boolean over(int request) {
        return (flags[request] & (COMPLETED | WITHDRAWN)) != 0;
    }

    /** True when it was ever put in a batch. */
    public boolean everScheduled(int request) {
        return restarts[request] > 0 || (flags[request] & SCHEDULED) != 0;
    }

    /** When it was first put in a batch. */
    public double scheduledAt(int request) {
        return scheduledAt[request];
    }

    /** End of the first complete prefill; 0 before. */
    public double prefillCompletedAt(int request) {
        return prefillCompletedAt[request];
    }

    public double completedAt(int request) {
        return completedAt[request];
    }

    /** Seconds that stages worked on batches with this request. */
    public double execution(int request) {
        return execution[request];
    }

    /** The part of {@link #execution} that is the model, without CPU overheads. */
    public double modelExecution(int request) {
        return modelExecution[request];
    }

    /** Seconds between stage executions: pipeline bubbles, waits between iterations, waits after a restart. */
    public double preempted(int request) {
        return preempted[request];
    }

    boolean prefillDone(int request) {
        return (flags[request] & PREFILL_DONE) != 0;
    }

    void set(int request, byte flag) {
        flags[request] |= flag;
    }

    /**
     * Sends a request back to its start, keeping what it generated as prompt.
     *
     * @param shrinkPartialPrefill true for the reference's behaviour with a prompt that is only partly processed: that
     *     part becomes the whole prompt and the rest of it output; false keeps the prompt
     */
    void restart(int request, boolean shrinkPartialPrefill) {
        if (shrinkPartialPrefill || prefillDone(request)) {
            int total = prefill[request] + decode[request];
            prefill[request] = processed[request];
            decode[request] = total - processed[request];
        }
        processed[request] = 0;
        flags[request] = 0;
        restarts[request]++;
    }
}
