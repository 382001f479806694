package dev.stagesim.sim.serving;

import java.util.Arrays;

/** Requests that pass through the pipeline together, each with its number of tokens; recycled by {@link BatchPool}. */
public final class Batch {
    final int slot;
    long id;
    int replica;
    double scheduledAt;
    double startedAt;
    int size;
    int[] requests = new int[8];
    int[] tokens = new int[8];
    int totalTokens;
    int prefillTokens;
    final StepTimes.Step step = new StepTimes.Step();

    /** Requests that decode in step, at positions {@code cohortFrom} to {@code cohortTo}; all others one by one. */
    Cohort cohort;

    int cohortFrom;
    int cohortTo;

    /** Requests from position 0 on that decode in step although no cohort keeps their accounts. */
    int inStep;

    long inStepKv;

    /** Number of the engine's step whose sampled tokens the first stage reads, or 0 if all inputs are known. */
    long awaitedStep;

    /** Time that a step takes on every stage besides its operators. */
    double extraSeconds;

    Batch(int slot, Cohort cohort) {
        this.slot = slot;
        this.cohort = cohort;
    }

    void reset() {
        size = 0;
        cohortFrom = 0;
        cohortTo = 0;
        inStep = 0;
        inStepKv = 0;
        extraSeconds = 0;
        awaitedStep = 0;
        totalTokens = 0;
        prefillTokens = 0;
        step.clear();
    }

    /** Adds a request that still has prompt tokens to process. */
    void addPrefill(int request, int count) {
        add(request, count);
        prefillTokens += count;
    }

    /** Adds a request for one more output token. */
    void addDecode(int request) {
        add(request, 1);
    }

    /** Adds a request for one more output token, and the drafts that are verified with it. */
    void addDecode(int request, int count) {
        add(request, count);
    }

    /** Adds the last token of a prompt, which attention computes as it computes a decode. */
    void addLastPrefill(int request) {
        add(request, 1);
        prefillTokens++;
    }

    /** Adds the members of a cohort, which becomes the batch's, for one more output token each; returns the one it had. */
    Cohort exchange(Cohort members) {
        int count = members.size();
        reserve(count);
        System.arraycopy(members.ids(), 0, requests, size, count);
        Arrays.fill(tokens, size, size + count, 1);
        cohortFrom = size;
        size += count;
        cohortTo = size;
        totalTokens += count;
        members.enterBatch();
        Cohort before = cohort;
        cohort = members;
        return before;
    }

    /** Adds the first requests, which decode in step, for one more output token each; {@code kv} tokens are attended to. */
    void addInStep(int[] ids, int count, long kv) {
        reserve(count);
        System.arraycopy(ids, 0, requests, 0, count);
        Arrays.fill(tokens, 0, count, 1);
        size = count;
        cohortTo = count;
        inStep = count;
        inStepKv = kv;
        totalTokens = count;
    }

    /** Position of the first request that is not in the cohort; the size when there is none. */
    int firstAlone() {
        return cohortFrom == 0 ? cohortTo : 0;
    }

    /** Position of the next request that is not in the cohort. */
    int nextAlone(int position) {
        int next = position + 1;
        return next == cohortFrom ? cohortTo : next;
    }

    private void reserve(int count) {
        if (size + count > requests.length) {
            int length = Math.max(size * 2, size + count);
            requests = Arrays.copyOf(requests, length);
            tokens = Arrays.copyOf(tokens, length);
        }
    }

    private void add(int request, int count) {
        reserve(1);
        requests[size] = request;
        tokens[size++] = count;
        totalTokens += count;
    }

    /** Number of the batch in order of formation over all replicas, from 0. */
    public long id() {
        return id;
    }

    public int replica() {
        return replica;
    }

    /** When it was formed, in seconds. */
    public double scheduledAt() {
        return scheduledAt;
    }

    /** Returns when its first stage started, in seconds: after {@link #scheduledAt} if it was planned ahead of that. */
    public double startedAt() {
        return startedAt;
    }

    /** Number of requests. */
    public int size() {
        return size;
    }

    public int request(int index) {
        return requests[index];
    }

    public int tokens(int index) {
        return tokens[index];
    }

    public int totalTokens() {
        return totalTokens;
    }

    /** Tokens of requests that had not finished their prompt when the batch was formed. */
    public int prefillTokens() {
        return prefillTokens;
    }

    /** Operator times of the batch. */
    public StepTimes.Step step() {
        return step;
    }
}
