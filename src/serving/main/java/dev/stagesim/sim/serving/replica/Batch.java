package dev.stagesim.sim.serving.replica;

import java.util.Arrays;

/** The requests of one step, each with its number of tokens. {@link BatchPool} recycles the objects. */
public final class Batch {
    public final int slot;
    /** Number of the batch in order of formation over all replicas, from 0. */
    public long id;

    public int replica;
    /** Time of formation, in seconds. */
    public double scheduledAt;
    /** Start of the first stage, in seconds. It is later than {@link #scheduledAt} if the batch was planned in advance. */
    public double startedAt;
    /** Number of requests. */
    public int size;

    public int[] requests = new int[8];
    public int[] tokens = new int[8];
    public int totalTokens;
    /** Tokens of requests that had not finished their prompt when the batch was formed. */
    public int prefillTokens;

    /** Operator times of the batch. */
    public final StepTimes.Step step = new StepTimes.Step();

    /**
     * Requests that decode in lockstep, at positions {@code cohortFrom} to {@code cohortTo}. The other requests are handled
     * individually.
     */
    Cohort cohort;

    int cohortFrom;
    int cohortTo;

    /** Number of leading entries of {@link #tokens} that are known to be 1, also after a {@link #reset}. */
    private int ones;

    /** Number of requests, from position 0, that decode in lockstep without a cohort. */
    int inStep;

    public long lockstepKv;

    /** Number of the engine step whose sampled tokens the first stage reads, or 0 if it reads none. */
    long awaitedStep;

    /** Time of a step on every stage in addition to its operators, in seconds. */
    public double extraSeconds;

    /** True if no request of the batch can use drafts, so that the step proposes none. */
    boolean skipsDrafts;

    /** True until the pool gets the batch back. */
    boolean isInUse;

    Batch(int slot, Cohort cohort) {
        this.slot = slot;
        this.cohort = cohort;
    }

    void reset() {
        size = 0;
        cohortFrom = 0;
        cohortTo = 0;
        inStep = 0;
        lockstepKv = 0;
        extraSeconds = 0;
        skipsDrafts = false;
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

    /** Adds a request that computes one output token. */
    void addDecode(int request) {
        add(request, 1);
    }

    /** Adds a request that computes one output token and verifies its draft tokens. */
    void addDecode(int request, int count) {
        add(request, count);
    }

    /** Adds the last token of a prompt. Attention processes it like a decode. */
    void addLastPrefill(int request) {
        add(request, 1);
        prefillTokens++;
    }

    /**
     * Adds the members of a cohort, which compute one output token each. The batch takes over the cohort and returns its
     * former one.
     */
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

    /**
     * Adds the first requests, which decode in lockstep and compute one output token each. They attend to {@code kv} tokens.
     */
    void addLockstep(int[] ids, int count, long kv) {
        reserve(count);
        System.arraycopy(ids, 0, requests, 0, count);
        for (; ones < count; ones++) {
            tokens[ones] = 1;
        }
        size = count;
        cohortTo = count;
        inStep = count;
        lockstepKv = kv;
        totalTokens = count;
    }

    /** Returns the position of the first request outside the cohort, or the size if there is none. */
    int firstIndividual() {
        return cohortFrom == 0 ? cohortTo : 0;
    }

    /** Returns the position of the next request outside the cohort. */
    int nextIndividual(int position) {
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
        ones = count == 1 ? ones : Math.min(ones, size);
        tokens[size++] = count;
        totalTokens += count;
    }
}
