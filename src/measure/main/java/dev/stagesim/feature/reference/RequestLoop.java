package dev.stagesim.feature.reference;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.feature.reference.StepClock.Part;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.ReplicaBatches;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Continuous batching. Accepts requests at their arrival times, computes the batches of the simulator's scheduler, and records
 * the time of each token.
 *
 * <p>A request that the scheduler restarts loses its blocks. Its prompt and its output are computed again.
 */
final class RequestLoop implements ServingRecorder {
    /** Computes batches. */
    interface StepRunner {
        /** Computes a batch. {@code next} receives the next token of each request. */
        void run(StepInput in, int[] next);

        /** Runs repeatedly while no request is present. Must not change any result. */
        default void idle() {}

        /** Called after a batch, when its requests have been updated. */
        default void ended(Batch batch) {}
    }

    private final RequestTrace trace;
    private final ReplicaBatches batches;
    private final PagedCache cache;
    private final StepRunner work;
    private final StepClock clock;
    private final EngineClock engineClock;
    private final StepInput in = new StepInput();
    private final int[][] tokens;
    private final int[] known;
    private final int[] cached;
    private final boolean[] promptDone;
    private final long[][] tokenTimes;
    private int[] next = new int[16];
    private long steps;

    RequestLoop(
            ServingSpec spec,
            RequestTrace trace,
            PagedCache cache,
            int vocab,
            StepRunner work,
            StepClock clock,
            EngineClock engineClock) {
        int n = trace.size();
        this.trace = trace;
        this.batches = new ReplicaBatches(spec, trace, this);
        this.cache = cache;
        this.work = work;
        this.clock = clock;
        this.engineClock = engineClock;
        this.tokens = new int[n][];
        this.known = new int[n];
        this.cached = new int[n];
        this.promptDone = new boolean[n];
        this.tokenTimes = new long[n][];
        for (int i = 0; i < n; i++) {
            tokens[i] = prompt(i, trace.prefillTokens(i), trace.decodeTokens(i), vocab);
            known[i] = trace.prefillTokens(i);
            tokenTimes[i] = new long[trace.decodeTokens(i)];
        }
    }

    /** Returns random prompt tokens, followed by space for the output. */
    private static int[] prompt(int request, int prefill, int decode, int vocab) {
        int[] tokens = new int[prefill + decode];
        SplittableRandom random = new SplittableRandom(request);
        for (int i = 0; i < prefill; i++) {
            tokens[i] = random.nextInt(vocab);
        }
        return tokens;
    }

    /** Returns the number of blocks that all requests need together. */
    static long blocks(RequestTrace trace, int blockSize) {
        long blocks = 0;
        for (int i = 0; i < trace.size(); i++) {
            blocks += (trace.prefillTokens(i) + trace.decodeTokens(i) + blockSize - 1L) / blockSize;
        }
        return blocks;
    }

    /** Serves all requests. They must be in order of arrival. */
    void run() {
        int arrived = 0;
        while (batches.completed() < trace.size()) {
            clock.begin();
            long now = engineClock.now();
            while (arrived < trace.size() && arrival(arrived) <= now) {
                batches.arrive(arrived++, now / NS_PER_S);
            }
            Optional<Batch> batch = batches.form(now / NS_PER_S);
            if (batch.isPresent()) {
                clock.lap(Part.SCHEDULE);
                run(batch.get());
            } else if (arrived < trace.size()) {
                engineClock.await(arrival(arrived), work::idle);
            } else {
                throw new IllegalStateException(
                        (trace.size() - batches.completed()) + " requests wait, but the scheduler forms no batch");
            }
        }
    }

    private long arrival(int request) {
        return Math.round(trace.arrivalSeconds(request) * NS_PER_S);
    }

    private void run(Batch batch) {
        in.clear();
        for (int i = 0; i < batch.size; i++) {
            int request = batch.requests[i];
            in.add(request, tokens[request], cached[request], batch.tokens[i], promptDone[request]);
        }
        if (next.length < batch.size) {
            next = new int[2 * batch.size];
        }
        work.run(in, next);
        for (int i = 0; i < batch.size; i++) {
            advance(batch.requests[i], batch.tokens[i], next[i]);
        }
        steps++;
        batches.ended(batch, engineClock.now() / NS_PER_S);
        clock.lap(Part.PROCESS_OUTPUTS);
        clock.end();
        work.ended(batch);
    }

    private void advance(int request, int count, int token) {
        cached[request] += count;
        if (cached[request] == known[request]) {
            promptDone[request] = true;
            tokens[request][known[request]++] = token;
        }
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.TOKENS);
    }

    @Override
    public void tokenEmitted(int request, int index, double time) {
        if (known[request] != trace.prefillTokens(request) + index + 1) {
            throw new IllegalStateException(
                    "request " + request + " has " + known[request] + " tokens at its token " + index);
        }
        tokenTimes[request][index] = Math.round(time * NS_PER_S);
    }

    @Override
    public void requestCompleted(int request, double time, RequestStates states) {
        cache.release(request);
    }

    @Override
    public void requestRestarted(int request, double time) {
        cache.release(request);
        cached[request] = 0;
        promptDone[request] = false;
    }

    /** Returns the times of the output tokens of a request. */
    long[] tokenTimes(int request) {
        return tokenTimes[request].clone();
    }

    /** Returns the output tokens of a request. */
    int[] output(int request) {
        int from = trace.prefillTokens(request);
        int[] out = new int[trace.decodeTokens(request)];
        System.arraycopy(tokens[request], from, out, 0, out.length);
        return out;
    }

    /** Returns the states of the requests. Valid after {@link #run}. */
    RequestStates states() {
        return batches.states();
    }

    long steps() {
        return steps;
    }
}
