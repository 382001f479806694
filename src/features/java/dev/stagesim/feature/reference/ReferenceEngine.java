package dev.stagesim.feature.reference;

import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.ServingSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A model with random weights that serves requests, one after the other on one thread, or measures its own operators. */
public final class ReferenceEngine {
    private static final int[] WARM_UP_PROMPTS = {1, 5, 16, 33, 64, 100, 128, 31};
    private static final int WARM_UP_OUTPUT = 12;
    private final EngineShape shape;
    private final Weights weights;

    /** Builds the weights. */
    public ReferenceEngine(EngineShape shape, long seed) {
        this.shape = shape;
        this.weights = new Weights(shape, seed);
    }

    /**
     * What a warm-up took.
     *
     * @param rounds rounds of work
     * @param ns time
     * @param settled false when the times were still falling when time was up
     */
    public record WarmedUp(int rounds, long ns, boolean settled) {}

    /**
     * Serves made-up requests until the compiler has settled; see {@link WarmUp} for when that is.
     *
     * @param leastNs least time of the warm-up; 0 for none
     */
    public WarmedUp warmUp(ServingSpec spec, long leastNs, Supplier<Pace> pace) {
        if (leastNs == 0) {
            return new WarmedUp(0, 0, false);
        }
        int longest = spec.maxTokens();
        int output = Math.max(1, Math.min(WARM_UP_OUTPUT, longest / 2));
        int[] prompts = Arrays.stream(WARM_UP_PROMPTS)
                .map(tokens -> Math.max(1, Math.min(tokens, longest - output)))
                .toArray();
        int[] outputs = new int[prompts.length];
        Arrays.fill(outputs, output);
        RequestTrace trace = new RequestTrace(new double[prompts.length], prompts, outputs);
        WarmUp.Result result =
                WarmUp.run(() -> serve(spec, trace, cache(spec, trace), pace.get()), leastNs, pace.get()::now);
        return new WarmedUp(result.rounds(), result.ns(), result.settled());
    }

    /**
     * Serves requests, open loop: each is taken when it is due, whatever became of the others.
     *
     * @param spec scheduler and memory; one replica of one device
     * @param trace requests in order of arrival
     * @param pace starts the clock, once the cache is there and what was built before is no longer moved about: the first
     *     request would wait for it
     */
    public Served serve(ServingSpec spec, RequestTrace trace, Supplier<Pace> pace) {
        PagedCache cache = cache(spec, trace);
        System.gc();
        return serve(spec, trace, cache, pace.get());
    }

    private Served serve(ServingSpec spec, RequestTrace trace, PagedCache cache, Pace pace) {
        StepClock clock = new StepClock(pace::now);
        Transformer transformer = new Transformer(shape, weights, cache, longest(trace), clock);
        Serving serving = new Serving(spec, trace, cache, shape.vocab(), transformer, clock, pace);
        ProcessorShare share = new ProcessorShare();
        serving.run();
        double processor = share.now();
        List<long[]> times = new ArrayList<>();
        List<int[]> tokens = new ArrayList<>();
        for (int i = 0; i < trace.size(); i++) {
            times.add(serving.tokenTimes(i));
            tokens.add(serving.output(i));
        }
        int[] restarts =
                IntStream.range(0, trace.size()).map(serving.states()::restarts).toArray();
        return new Served(times, tokens, restarts, serving.steps(), clock, processor);
    }

    PagedCache cache(ServingSpec spec, RequestTrace trace) {
        return new PagedCache(shape, spec.scheduler().limits().blockSize(), blocks(spec, trace), trace.size());
    }

    /** Blocks that are really there: no more than the scheduler counts on, and than the requests could fill. */
    private static int blocks(ServingSpec spec, RequestTrace trace) {
        long needed = Serving.blocks(trace, spec.scheduler().limits().blockSize());
        return Math.toIntExact(Math.min(needed, MemoryPlan.of(spec).numBlocks()));
    }

    /** Bytes of the weights and of the KV cache for these requests. */
    public static long bytes(EngineShape shape, ServingSpec spec, RequestTrace trace) {
        long cache = (long) blocks(spec, trace) * spec.scheduler().limits().blockSize() * shape.layers();
        return shape.weightBytes()
                + cache * shape.kvHeads() * 2 * (Float.BYTES * (long) shape.headDim() + Long.BYTES * 3L);
    }

    private static int longest(RequestTrace trace) {
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
