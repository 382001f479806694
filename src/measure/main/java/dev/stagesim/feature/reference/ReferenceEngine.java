package dev.stagesim.feature.reference;

import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A transformer with random weights that serves requests on one thread. */
final class ReferenceEngine {
    private static final int[] WARM_UP_PROMPTS = {1, 5, 16, 33, 64, 100, 128, 31};
    private static final int WARM_UP_OUTPUT = 12;
    private final EngineShape shape;
    private final Weights weights;

    /** Creates an engine with random weights. */
    ReferenceEngine(EngineShape shape, long seed) {
        this.shape = shape;
        this.weights = new Weights(shape, seed);
    }

    /**
     * The result of a warm-up.
     *
     * @param rounds number of rounds
     * @param ns duration
     * @param settled false if round times were still decreasing at the time limit
     */
    record WarmedUp(int rounds, long ns, boolean settled) {
        /** Returns the warning about times measured after this warm-up. */
        Optional<String> warning() {
            return settled
                    ? Optional.empty()
                    : Optional.of(
                            rounds == 0
                                    ? "the engine was not warmed up (engine.warm_up=0)"
                                    : "the engine was still getting faster at the time limit of its warm-up");
        }
    }

    /**
     * Serves synthetic requests until the JIT compiler has settled, see {@link WarmUp}.
     *
     * @param minNs minimum duration; 0 to skip the warm-up
     */
    WarmedUp warmUp(ServingSpec spec, long minNs, Supplier<EngineClock> clocks) {
        if (minNs == 0) {
            return new WarmedUp(0, 0, false);
        }
        int maxTokens = spec.maxTokens();
        int output = Math.max(1, Math.min(WARM_UP_OUTPUT, maxTokens / 2));
        int[] prompts = Arrays.stream(WARM_UP_PROMPTS)
                .map(tokens -> Math.max(1, Math.min(tokens, maxTokens - output)))
                .toArray();
        int[] outputs = new int[prompts.length];
        Arrays.fill(outputs, output);
        RequestTrace trace = new RequestTrace(new double[prompts.length], prompts, outputs);
        return WarmUp.run(() -> serve(spec, trace, cache(spec, trace), clocks.get()), minNs, clocks.get()::now);
    }

    /**
     * Serves requests open loop: each is accepted at its arrival time.
     *
     * @param spec scheduler and memory of one replica on one device
     * @param trace requests in order of arrival
     * @param clocks starts the clock, after the KV cache has been allocated and garbage has been collected
     */
    EngineOutcome serve(ServingSpec spec, RequestTrace trace, Supplier<EngineClock> clocks) {
        PagedCache cache = cache(spec, trace);
        System.gc();
        return serve(spec, trace, cache, clocks.get());
    }

    private EngineOutcome serve(ServingSpec spec, RequestTrace trace, PagedCache cache, EngineClock engineClock) {
        StepClock clock = new StepClock(engineClock::now);
        Transformer transformer = new Transformer(shape, weights, cache, longest(trace), clock);
        RequestLoop loop = new RequestLoop(spec, trace, cache, shape.vocab(), transformer, clock, engineClock);
        ProcessorShare share = new ProcessorShare();
        loop.run();
        double processor = share.now();
        List<long[]> times = new ArrayList<>();
        List<int[]> tokens = new ArrayList<>();
        for (int i = 0; i < trace.size(); i++) {
            times.add(loop.tokenTimes(i));
            tokens.add(loop.output(i));
        }
        int[] restarts =
                IntStream.range(0, trace.size()).map(loop.states()::restarts).toArray();
        return new EngineOutcome(times, tokens, restarts, loop.steps(), clock, processor);
    }

    PagedCache cache(ServingSpec spec, RequestTrace trace) {
        return new PagedCache(shape, spec.scheduler().limits().blockSize(), blocks(spec, trace), trace.size());
    }

    /** Returns the number of blocks to allocate: the scheduler's number, or less if the requests need less. */
    private static int blocks(ServingSpec spec, RequestTrace trace) {
        long needed = RequestLoop.blocks(trace, spec.scheduler().limits().blockSize());
        return Math.toIntExact(Math.min(needed, MemoryPlan.of(spec).numBlocks()));
    }

    /** Returns the bytes of the weights and of the KV cache for these requests. */
    static long bytes(EngineShape shape, ServingSpec spec, RequestTrace trace) {
        long cache = (long) blocks(spec, trace) * spec.scheduler().limits().blockSize() * shape.layers();
        return shape.weightBytes()
                + cache * shape.kvHeads() * 2 * (Float.BYTES * (long) shape.headDim() + Long.BYTES * 3L);
    }

    static int longest(RequestTrace trace) {
        int longest = 1;
        for (int i = 0; i < trace.size(); i++) {
            longest = Math.max(longest, trace.prefillTokens(i) + trace.decodeTokens(i));
        }
        return longest;
    }

    EngineShape shape() {
        return shape;
    }

    Weights weights() {
        return weights;
    }
}
