package dev.stagesim.feature.reference;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.feature.reference.StepClock.Part;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.ModelShape;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Measures the operators of an engine in complete steps through all layers. Each round runs the cases in a new random order, so that
 * the state of the caches and the drift of the machine are as in normal operation.
 *
 * <p>A prompt chunk is measured in a single step. Decode steps are repeated, and the first half is discarded, because the caches are
 * cold after a step with other data. Operators that depend only on the number of tokens are measured in decode steps up to the
 * largest decode batch, and in prompt chunks for more tokens.
 */
final class OperatorProfile {
    private static final int DECODE_RUN = 6;
    private static final int DISCARDED_DECODE_STEPS = 3;
    private static final int HOST_STEPS = 24;
    private static final int HOST_PROMPT = 4;
    private static final double UNLIMITED_MEMORY_GIB = 1024;

    /**
     * Sizes to measure, in ascending order.
     *
     * @param tokens tokens of a step
     * @param chunks tokens of a prefill chunk
     * @param kvTokens cached tokens before a chunk; for decode, attended tokens including the new one
     * @param batchSizes requests of a decode batch
     */
    record Grid(List<Integer> tokens, List<Integer> chunks, List<Integer> kvTokens, List<Integer> batchSizes) {}

    /** Milliseconds of one layer by operator, one value per step, for a number of tokens. */
    record TokenTimes(int tokens, Map<Part, double[]> samples) {}

    /** Milliseconds of the attention of one layer; {@code chunk} is 0 for decode. */
    record AttentionTimes(int batch, int chunk, int kvTokens, double[] samples, double[] cacheWrites) {}

    /** Milliseconds of the host per step, for a number of requests. */
    record HostTimes(int batch, Map<Part, double[]> samples) {}

    /** All measurements, in ascending order of sizes. */
    record Result(
            List<TokenTimes> tokens, List<AttentionTimes> attention, List<HostTimes> host, double processorShare) {}

    /** Receives the progress of the measurement. */
    interface Progress {
        void done(String what, int done, int total);
    }

    /** A step to measure; {@code listed} if its attention is a row of the result. */
    private record Case(int batch, int chunk, int kv, boolean listed) {
        int rows() {
            return chunk == 0 ? batch : chunk;
        }

        boolean decodes() {
            return chunk == 0;
        }
    }

    /** Columns of {@code mlp.csv} after the embedding, which is part of the host time. */
    static final List<Part> TOKEN_PARTS = List.of(
            Part.INPUT_LAYERNORM,
            Part.ATTN_PRE_PROJ,
            Part.ATTN_ROPE,
            Part.ATTN_POST_PROJ,
            Part.POST_ATTENTION_LAYERNORM,
            Part.MLP_UP_PROJ,
            Part.MLP_ACT,
            Part.MLP_DOWN_PROJ,
            Part.ADD);

    /** Columns of {@code cpu_overheads.csv}. */
    static final List<Part> HOST_PARTS =
            List.of(Part.SCHEDULE, Part.SAMPLER, Part.PREPARE_INPUTS, Part.PROCESS_OUTPUTS);

    private final ReferenceEngine engine;
    private final Supplier<EngineClock> clocks;
    private final int blockSize;
    private final int repeats;
    private final List<Case> cases = new ArrayList<>();
    private final List<Integer> batchSizes;
    private final int maxDecodeBatch;
    private final Map<Integer, Map<Part, Samples>> byTokens = new TreeMap<>();
    private final Map<Integer, Map<Part, Samples>> byBatch = new TreeMap<>();
    private final Map<Case, Samples> attention = new LinkedHashMap<>();
    private final Map<Case, Samples> writes = new LinkedHashMap<>();

    private OperatorProfile(
            ReferenceEngine engine, Supplier<EngineClock> clocks, Grid grid, int blockSize, int repeats) {
        this.engine = engine;
        this.clocks = clocks;
        this.blockSize = blockSize;
        this.repeats = repeats;
        this.batchSizes = grid.batchSizes();
        this.maxDecodeBatch = batchSizes.get(batchSizes.size() - 1);
        for (int kv : grid.kvTokens()) {
            grid.chunks().forEach(chunk -> cases.add(new Case(1, chunk, kv, true)));
            batchSizes.forEach(batch -> cases.add(new Case(batch, 0, Math.max(1, kv), true)));
        }
        int middle = Math.max(1, grid.kvTokens().get(grid.kvTokens().size() / 2));
        for (int tokens : grid.tokens()) {
            boolean decodes = tokens <= maxDecodeBatch;
            if (decodes && !batchSizes.contains(tokens)) {
                cases.add(new Case(tokens, 0, middle, false));
            } else if (!decodes && !grid.chunks().contains(tokens)) {
                cases.add(new Case(1, tokens, 0, false));
            }
        }
    }

    /**
     * Measures all cases.
     *
     * @param clocks creates clocks
     * @param blockSize tokens per KV block
     * @param repeats number of rounds
     */
    static Result measure(
            ReferenceEngine engine,
            Supplier<EngineClock> clocks,
            Grid grid,
            int blockSize,
            int repeats,
            Progress progress) {
        return new OperatorProfile(engine, clocks, grid, blockSize, repeats).measure(progress);
    }

    private Result measure(Progress progress) {
        StepClock clock = new StepClock(clocks.get()::now);
        int maxTokens = cases.stream().mapToInt(c -> c.kv() + c.chunk()).max().orElseThrow();
        int batch = maxDecodeBatch;
        PagedCache cache = filled(batch, maxTokens);
        Transformer transformer = new Transformer(engine.shape(), engine.weights(), cache, maxTokens, clock);
        int[] next = new int[batch];
        int[] tokens = tokens(maxTokens);
        StepInput in = new StepInput();
        SplittableRandom random = new SplittableRandom(1);
        ProcessorShare share = new ProcessorShare();
        for (int round = 0; round < repeats; round++) {
            progress.done("measuring operators", round, repeats);
            for (Case step : shuffled(random)) {
                fill(in, step, tokens);
                for (int run = 0; run < (step.decodes() ? DECODE_RUN : 1); run++) {
                    clock.begin();
                    transformer.step(in, next);
                    if (run >= DISCARDED_DECODE_STEPS || !step.decodes()) {
                        record(step, clock);
                    }
                }
            }
            host(round);
        }
        return result(share.now());
    }

    private PagedCache filled(int sequences, int maxTokens) {
        int blocks = sequences * ((maxTokens + blockSize - 1) / blockSize);
        PagedCache cache = new PagedCache(engine.shape(), blockSize, blocks, sequences);
        SplittableRandom random = new SplittableRandom(2);
        for (float[][][] all : List.of(cache.keys, cache.values)) {
            for (float[][] layer : all) {
                for (float[] row : layer) {
                    for (int i = 0; i < row.length; i++) {
                        row[i] = (float) (2 * random.nextDouble() - 1);
                    }
                }
            }
        }
        for (int s = 0; s < sequences; s++) {
            cache.reserve(s, maxTokens);
        }
        return cache;
    }

    private int[] tokens(int count) {
        return new SplittableRandom(3).ints(count, 0, engine.shape().vocab()).toArray();
    }

    private List<Case> shuffled(SplittableRandom random) {
        List<Case> order = new ArrayList<>(cases);
        for (int i = order.size() - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            Case kept = order.get(i);
            order.set(i, order.get(j));
            order.set(j, kept);
        }
        return order;
    }

    private static void fill(StepInput in, Case step, int[] tokens) {
        in.clear();
        if (step.chunk() > 0) {
            in.add(0, tokens, step.kv(), step.chunk(), false);
            return;
        }
        for (int s = 0; s < step.batch(); s++) {
            in.add(s, tokens, step.kv() - 1, 1, true);
        }
    }

    private void record(Case step, StepClock clock) {
        if (step.decodes() || step.rows() > maxDecodeBatch) {
            Map<Part, Samples> row = byTokens.computeIfAbsent(step.rows(), rows -> new EnumMap<>(Part.class));
            for (Part part : TOKEN_PARTS) {
                row.computeIfAbsent(part, p -> new Samples()).add(perLayer(clock, part));
            }
        }
        if (step.listed()) {
            Part kind = step.decodes() ? Part.ATTN_DECODE : Part.ATTN_PREFILL;
            attention.computeIfAbsent(step, c -> new Samples()).add(perLayer(clock, kind));
            writes.computeIfAbsent(step, c -> new Samples()).add(perLayer(clock, Part.ATTN_KV_CACHE_SAVE));
        }
    }

    private double perLayer(StepClock clock, Part part) {
        return clock.step(part) / NS_PER_MS / engine.shape().layers();
    }

    /** Serves batches of requests that decode together, and records the host time. */
    private void host(int round) {
        int size = batchSizes.get(round % batchSizes.size());
        for (int batch : round < 2 ? batchSizes : List.of(size)) {
            int[] prompts = new int[batch];
            int[] outputs = new int[batch];
            Arrays.fill(prompts, HOST_PROMPT);
            Arrays.fill(outputs, HOST_STEPS);
            RequestTrace trace = new RequestTrace(new double[batch], prompts, outputs);
            ServingSpec spec = hostSpec(batch);
            EngineClock time = clocks.get();
            StepClock clock = new StepClock(time::now);
            PagedCache cache = engine.cache(spec, trace);
            Transformer transformer =
                    new Transformer(engine.shape(), engine.weights(), cache, HOST_PROMPT + HOST_STEPS, clock);
            new RequestLoop(
                            spec,
                            trace,
                            cache,
                            engine.shape().vocab(),
                            new HostStepRunner(transformer, clock, batch),
                            clock,
                            time)
                    .run();
        }
    }

    private final class HostStepRunner implements RequestLoop.StepRunner {
        private final Transformer transformer;
        private final StepClock clock;
        private final int batch;

        HostStepRunner(Transformer transformer, StepClock clock, int batch) {
            this.transformer = transformer;
            this.clock = clock;
            this.batch = batch;
        }

        @Override
        public void run(StepInput in, int[] next) {
            transformer.step(in, next);
        }

        @Override
        public void ended(Batch done) {
            if (done.size == batch && done.prefillTokens == 0) {
                Map<Part, Samples> row = byBatch.computeIfAbsent(batch, b -> new EnumMap<>(Part.class));
                for (Part part : HOST_PARTS) {
                    row.computeIfAbsent(part, p -> new Samples()).add(clock.step(part) / NS_PER_MS);
                }
            }
        }
    }

    private ServingSpec hostSpec(int batch) {
        EngineShape s = engine.shape();
        ModelShape model = new ModelShape(
                s.layers(), s.heads(), s.kvHeads(), s.hidden(), s.headDim(), s.ffn(), s.gated(), s.secondNorm());
        ClusterSpec cluster = new ClusterSpec(1, 1, 1, UNLIMITED_MEMORY_GIB, 1, 0, GlobalPolicy.ROUND_ROBIN, 0);
        SchedulerSpec scheduler =
                new SchedulerSpec.Sarathi(new SchedulerSpec.Limits(batch, blockSize, 0, 0), HOST_PROMPT * batch);
        TimingSpec timing = new TimingSpec(0, 0, 0, 0, true);
        return new ServingSpec(
                model, Optional.empty(), cluster, scheduler, timing, HOST_PROMPT + HOST_STEPS, 0, VidurQuirk.NONE);
    }

    private Result result(double share) {
        List<TokenTimes> tokens = new ArrayList<>();
        byTokens.forEach((count, parts) -> tokens.add(new TokenTimes(count, values(parts))));
        List<AttentionTimes> rows = new ArrayList<>();
        attention.forEach((step, samples) -> rows.add(new AttentionTimes(
                step.batch(),
                step.chunk(),
                step.kv(),
                samples.values(),
                Objects.requireNonNull(writes.get(step)).values())));
        rows.sort(Comparator.comparingInt(AttentionTimes::chunk)
                .thenComparingInt(AttentionTimes::batch)
                .thenComparingInt(AttentionTimes::kvTokens));
        List<HostTimes> host = new ArrayList<>();
        byBatch.forEach((batch, parts) -> host.add(new HostTimes(batch, values(parts))));
        return new Result(tokens, rows, host, share);
    }

    private static Map<Part, double[]> values(Map<Part, Samples> parts) {
        Map<Part, double[]> values = new EnumMap<>(Part.class);
        parts.forEach((part, samples) -> values.put(part, samples.values()));
        return values;
    }

    /** A growing list of doubles. */
    private static final class Samples {
        private double[] all = new double[16];
        private int size;

        void add(double value) {
            if (size == all.length) {
                all = Arrays.copyOf(all, 2 * size);
            }
            all[size++] = value;
        }

        double[] values() {
            return Arrays.copyOf(all, size);
        }
    }
}
