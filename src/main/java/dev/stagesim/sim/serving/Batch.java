package dev.stagesim.sim.serving;

import java.util.Arrays;

/** Requests that pass through the pipeline together, each with its number of tokens; recycled by {@link BatchPool}. */
public final class Batch {
    final int slot;
    long id;
    int replica;
    double scheduledAt;
    int size;
    int[] requests = new int[8];
    int[] tokens = new int[8];
    int totalTokens;
    int prefillTokens;
    final StepTimes.Step step = new StepTimes.Step();

    Batch(int slot) {
        this.slot = slot;
    }

    void reset() {
        size = 0;
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

    private void add(int request, int count) {
        if (size == requests.length) {
            requests = Arrays.copyOf(requests, size * 2);
            tokens = Arrays.copyOf(tokens, size * 2);
        }
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
