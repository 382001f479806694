package dev.stagesim.sim.serving.replica;

import dev.stagesim.predict.DraftTimes;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.SharedLayers;
import dev.stagesim.predict.WholeStep;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.serving.spec.ModelShape;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Adds operator times to the time of a batch on a pipeline stage, in the order of the reference.
 *
 * <p>Sums that depend only on the token count are cached in arrays that fill on first use, so a step costs a few array
 * reads. The reference rounds token counts up to multiples of 8, the tile size that it assumes for kernels. Without that
 * rounding, the predictor is queried with the exact token count.
 */
public final class StepTimes {
    private static final double UNKNOWN = Double.NaN;

    /** Maximum number of cached decode attention times; further ones are queried each time. */
    private static final int MAX_KEPT = 1 << 24;

    private final ServingSpec spec;
    private final OperatorTimes times;
    private final @Nullable WholeStep engine;
    private final @Nullable SharedLayers shared;
    private final @Nullable DraftTimes drafts;
    private final int dummyTokens;
    private final ModelShape model;
    private final TimingSpec timing;
    private final ContextSharding context;
    private final int tileTokens;
    private final int layersPerStage;
    private final boolean tensorParallel;
    private final boolean pipelined;
    private final double launchMs;
    private final boolean mergesChunks;
    private final double skewMs;
    private final int granularity;
    private final double decodeFactor;
    private final double prefillFactor;
    private final double attentionFlopsPerPair;
    private final double flopsPerToken;
    private final double flopsPerPercent;

    private double[] projections = new double[0];
    private double[] communication = new double[0];
    private double[] inputNorm = new double[0];
    private double[] mlp = new double[0];
    private double[] residual = new double[0];
    private double[] kvSave = new double[0];
    private double[] cpu = new double[0];
    private double[] decode = new double[0];
    private final int kvSteps;
    private int revision;

    private final Step alone = new Step();

    /** Cache of decode-only steps, indexed by a hash of batch size and context. */
    private final Step[] kept = new Step[1 << 10];

    /** Times of one batch. They are equal for all stages except the last, which sends no data. */
    public static final class Step {
        boolean known;
        /** Requests past their prompt, and requests in their prompt. */
        public int decodes;

        public int prefills;
        /** Mean context of the decoding requests, rounded up; undefined if there are none. */
        public int decodeKv;

        int prefillKv;
        int prefillChunk;
        double summedPrefillMs;
        boolean apart;
        /** Decode and prefill attention per layer in ms; 0 if there is none. */
        public double decodeMs;

        public double prefillMs;
        double innerModelSeconds;
        double lastModelSeconds;
        double innerSeconds;
        double lastSeconds;
        double flops;
        /** Tokens that each device computes: the tokens of the batch, less the share of other groups in common prompts. */
        public int tokens;

        double ownMs;
        /** Time per layer in ms that engines in lockstep compute together; 0 if engines are independent. */
        public double sharedMs;
        /** Part of {@code sharedMs} in which the engines exchange tokens. */
        public double exchangeMs;
        /** Time per layer in ms by which the individual layers of the slowest engine of the group take longer. */
        public double waitMs;

        double sendMs;
        double cpuSeconds;
        /** True if the step proposes no drafts. */
        boolean skipsDrafts;
        /** Time of proposing and verifying draft tokens. */
        public double draftSeconds;

        public void clear() {
            known = false;
        }

        /**
         * Returns true if another decode-only step takes the same time on a stage with the same revision of operator times.
         */
        boolean takesAsLong(Step other) {
            return decodes == other.decodes
                    && decodeKv == other.decodeKv
                    && tokens == other.tokens
                    && skipsDrafts == other.skipsDrafts
                    && cpuSeconds == other.cpuSeconds;
        }

        /** Copies the inputs of {@link #takesAsLong} and all times of another decode-only step. */
        void takeTimes(Step other) {
            decodes = other.decodes;
            decodeKv = other.decodeKv;
            tokens = other.tokens;
            skipsDrafts = other.skipsDrafts;
            cpuSeconds = other.cpuSeconds;
            decodeMs = other.decodeMs;
            prefillMs = 0;
            ownMs = other.ownMs;
            sendMs = other.sendMs;
            innerModelSeconds = other.innerModelSeconds;
            lastModelSeconds = other.lastModelSeconds;
            innerSeconds = other.innerSeconds;
            lastSeconds = other.lastSeconds;
            draftSeconds = other.draftSeconds;
        }

        public double modelSeconds(boolean lastStage) {
            return lastStage ? lastModelSeconds : innerModelSeconds;
        }

        public double totalSeconds(boolean lastStage) {
            return lastStage ? lastSeconds : innerSeconds;
        }
    }

    /** Creates the step times of engines with this specification, which can share them on one thread. */
    public StepTimes(ServingSpec spec, OperatorTimes times) {
        this.spec = spec;
        this.times = times;
        this.engine = times.wholeStep().orElse(null);
        dummyTokens = 1
                + (spec.scheduler() instanceof SchedulerSpec.VllmV1 vllm
                        ? vllm.settings().speculation().tokens()
                        : 0);
        this.shared = times.sharedLayers().orElse(null);
        this.drafts = times.drafts().orElse(null);
        this.model = spec.model();
        this.timing = spec.timing();
        int tp = spec.cluster().tensorParallel();
        context = spec.scheduler().contextSharding();
        tileTokens = spec.tileTokens();
        layersPerStage = spec.layersPerStage();
        tensorParallel = tp > 1;
        pipelined = spec.cluster().pipelineStages() > 1;
        launchMs = engine == null ? timing.ncclLaunchMs() : 0;
        mergesChunks = spec.has(VidurQuirk.MERGED_CHUNKS);
        skewMs = timing.ncclSkewMs() * Math.pow(tp, 1.25);
        granularity = times.coverage().kvGranularity();
        kvSteps = times.coverage().maxKvTokens() / granularity + 1;
        decodeFactor = model.groupedQuery() ? 1 + timing.decodeOverhead() : 1;
        prefillFactor = model.groupedQuery() ? 1 + timing.prefillOverhead() : 1;
        int headsPerDevice = model.queryHeads() / tp;
        attentionFlopsPerPair = 4.0 * layersPerStage * headsPerDevice * model.headDim() / context.prefill();
        flopsPerToken = 2.0 * spec.activeParametersPerDevice();
        flopsPerPercent =
                spec.cluster().tflops() * (spec.has(VidurQuirk.BINARY_TERAFLOPS) ? (double) (1L << 40) : 1e12);
    }

    /** Returns the specification of the engines that share these times. */
    public ServingSpec spec() {
        return spec;
    }

    /**
     * Computes the times of a batch, once.
     *
     * @throws dev.stagesim.model.StageException if operator times do not cover the batch
     */
    public void compute(Batch batch, RequestStates states) {
        Step step = batch.step;
        if (step.known) {
            return;
        }
        if (times.revision() != revision) {
            revision = times.revision();
            Arrays.fill(projections, UNKNOWN); // all other values are derived from it
            Arrays.fill(kept, null);
        }
        int tokens = batch.totalTokens - batch.prefillTokens + context.share(batch.prefillTokens);
        gather(batch, states, step);
        step.tokens = tokens;
        step.skipsDrafts = batch.skipsDrafts;
        step.flops += flopsPerToken * tokens;
        step.cpuSeconds = (timing.cpuOverheads() ? cpuMs(batch.size) * 1e-3 : 0) + batch.extraSeconds;
        step.sharedMs = 0;
        step.exchangeMs = 0;
        step.waitMs = 0;
        if (step.prefills == 0) {
            computeDecodes(step, tokens);
        } else {
            own(step, tokens);
            finish(step, step.ownMs, tokens);
        }
        step.known = true;
    }

    private void computeDecodes(Step step, int tokens) {
        int at = (step.decodes * 31 + step.decodeKv / granularity) & (kept.length - 1);
        Step before = kept[at];
        if (before != null && step.takesAsLong(before)) {
            step.takeTimes(before);
            return;
        }
        own(step, tokens);
        finish(step, step.ownMs, tokens);
        if (before == null) {
            before = new Step();
            kept[at] = before;
        }
        before.takeTimes(step);
    }

    /**
     * Returns the times of a step that is known by its counts only. Its prompts have equal lengths and no cached tokens.
     *
     * @param decodes requests past their prompt, with {@code decodeTokens} tokens in the step
     * @param kvTokens mean context of the decoding requests
     */
    public Step composed(int decodes, int decodeTokens, int kvTokens, int prefills, int prefillTokens) {
        Step step = new Step();
        step.decodes = decodes;
        step.prefills = prefills;
        step.decodeKv = decodes == 0 ? 0 : roundUp(kvTokens);
        step.prefillChunk = prefills == 0 ? 0 : (int) Math.max(1, Math.rint(prefillTokens / Math.sqrt(prefills)));
        step.tokens = decodeTokens + context.share(prefillTokens);
        step.cpuSeconds = timing.cpuOverheads() ? cpuMs(decodes + prefills) * 1e-3 : 0;
        own(step, step.tokens);
        finish(step, step.ownMs, step.tokens);
        return step;
    }

    /** Computes a step without requests: one token and its drafts. */
    public void computeDummy(Batch batch) {
        Step step = batch.step;
        step.decodes = 1;
        step.decodeKv = roundUp(1);
        step.prefills = 0;
        step.tokens = dummyTokens;
        step.skipsDrafts = false;
        step.cpuSeconds = 0;
        step.known = true;
    }

    /**
     * Sets the common times of the engines of a group: for each layer, the maximum over the engines of their individual
     * part, then the common part; finally, the maximum of the work around the layers.
     *
     * @return seconds that the engines with requests wait for others, on all stages
     */
    public double together(Batch[] group, int stages) {
        SharedLayers layers = Objects.requireNonNull(shared, "operator times of engines that share experts");
        int maxTokens = 0;
        long all = 0;
        boolean isGraph = true;
        for (Batch batch : group) {
            maxTokens = Math.max(maxTokens, batch.step.tokens);
            all += batch.step.tokens;
            isGraph &= layers.isGraph(batch.step.tokens, batch.step.prefills > 0);
        }
        double slowest = 0;
        for (Batch batch : group) {
            own(batch.step, isGraph ? maxTokens : batch.step.tokens);
            slowest = Math.max(slowest, batch.step.ownMs);
        }
        all = isGraph ? (long) maxTokens * group.length : all;
        double together = layers.milliseconds(maxTokens, all);
        double exchange = layers.exchangeMilliseconds(maxTokens, all);
        double waits = 0;
        double inner = 0;
        double last = 0;
        for (Batch batch : group) {
            Step step = batch.step;
            int tokens = isGraph ? maxTokens : step.tokens;
            step.sharedMs = together;
            step.exchangeMs = exchange;
            step.waitMs = slowest - step.ownMs;
            finish(step, step.ownMs + together, tokens);
            waits -= batch.size == 0 ? 0 : step.innerSeconds * (stages - 1) + step.lastSeconds;
            finish(step, slowest + together, tokens);
            inner = Math.max(inner, step.innerSeconds);
            last = Math.max(last, step.lastSeconds);
        }
        for (Batch batch : group) {
            batch.step.innerSeconds = inner;
            batch.step.lastSeconds = last;
            waits += batch.size == 0 ? 0 : inner * (stages - 1) + last;
        }
        return waits;
    }

    /** Computes the individual layers of the engine for {@code tokens} tokens. */
    private void own(Step step, int tokens) {
        step.ownMs = blockMs(tokens, step);
        step.sendMs = pipelined ? times.milliseconds(Operator.SEND_RECV, tiles(tokens) * tileTokens) : 0;
    }

    private void finish(Step step, double block, int tokens) {
        step.innerModelSeconds = (block * layersPerStage + step.sendMs) * 1e-3;
        step.lastModelSeconds = block * layersPerStage * 1e-3;
        step.innerSeconds = whole(step.innerModelSeconds, tokens, step) + step.cpuSeconds;
        step.draftSeconds = draftSeconds(step, step.tokens);
        step.lastSeconds = whole(step.lastModelSeconds, tokens, step) + step.cpuSeconds + step.draftSeconds;
    }

    private double draftSeconds(Step step, int tokens) {
        return drafts == null
                ? 0
                : drafts.milliseconds(tokens, step.decodes, step.decodeKv, step.prefills, step.skipsDrafts) * 1e-3;
    }

    public double decodeOnlySeconds(Step step) {
        alone.decodes = step.decodes;
        alone.decodeKv = step.decodeKv;
        alone.skipsDrafts = step.skipsDrafts;
        double block = blockMs(alone.decodes, alone) + step.sharedMs + step.waitMs;
        return whole(block * layersPerStage * 1e-3, alone.decodes, alone) + draftSeconds(alone, alone.decodes);
    }

    /** Returns the step time of the engine for its operators; without an engine model, the operator time. */
    private double whole(double operatorSeconds, int tokens, Step step) {
        return engine == null
                ? operatorSeconds
                : engine.milliseconds(operatorSeconds * 1e3, tokens, step.decodes, step.prefills) * 1e-3;
    }

    /** Returns the model FLOPs utilisation of a batch on a stage in percent of the device's peak. */
    public double mfuPercent(Step step, boolean lastStage) {
        return 100 * (step.flops / step.totalSeconds(lastStage)) / flopsPerPercent;
    }

    private void gather(Batch batch, RequestStates states, Step step) {
        int decodes = batch.cohort.size() + batch.inStep;
        long decodeKv = batch.cohort.kvTokens() + batch.lockstepKv;
        long prefillKv = 0;
        long squares = 0;
        double summedMs = times.prefillKernelMilliseconds();
        double longestMs = 0;
        long pairs = decodes + decodeKv;
        RequestProgress progress = states.progress;
        for (int i = batch.firstIndividual(); i < batch.size; i = batch.nextIndividual(i)) {
            int request = batch.requests[i];
            long n = batch.tokens[i];
            long x = progress.processed[progress.at(request)];
            pairs += n * (n + x);
            if (states.prefillDone(request)) {
                decodes++;
                decodeKv += x;
            } else {
                prefillKv += (x + granularity - 1) / granularity * granularity;
                if (timing.sumPrefills()) {
                    int known = roundUp(x);
                    summedMs += times.addedPrefillMilliseconds(known, (int) n);
                    longestMs = Math.max(longestMs, times.prefillMilliseconds(known, (int) n));
                }
                squares += n * n;
            }
        }
        step.decodes = decodes;
        step.prefills = batch.size - decodes;
        step.apart = timing.sumPrefills();
        if (!mergesChunks && !step.apart && step.prefills > 1 && beyond(prefillKv, squares)) {
            summedMs = apartMs(batch, states);
            step.apart = true;
        }
        step.decodeKv = decodes == 0 ? 0 : roundUp(decodeKv / decodes);
        step.prefillKv = (int) Math.min(Integer.MAX_VALUE, prefillKv);
        step.prefillChunk = (int) Math.rint(Math.sqrt((double) squares));
        step.summedPrefillMs = Math.max(longestMs, summedMs);
        step.flops = attentionFlopsPerPair * pairs;
    }

    /** Returns true if operator times do not cover a merged chunk, although they may cover the individual chunks. */
    private boolean beyond(long prefillKv, long squares) {
        OperatorTimes.Coverage covered = times.coverage();
        return prefillKv > covered.maxKvTokens() || Math.rint(Math.sqrt((double) squares)) > covered.maxChunkTokens();
    }

    /** Returns the prefill attention of the batch as a sum over its chunks. */
    private double apartMs(Batch batch, RequestStates states) {
        double sum = 0;
        for (int i = batch.firstIndividual(); i < batch.size; i = batch.nextIndividual(i)) {
            int request = batch.requests[i];
            if (!states.prefillDone(request)) {
                sum += times.prefillMilliseconds(
                        roundUp(states.progress.processed[states.progress.at(request)]), batch.tokens[i]);
            }
        }
        return sum;
    }

    private int roundUp(long tokens) {
        return (int) ((tokens + granularity - 1) / granularity * granularity);
    }

    private double blockMs(int tokens, Step step) {
        int tile = tiles(tokens);
        if (tile < 0 || tile >= projections.length || Double.isNaN(projections[tile])) {
            fillTile(tile); // throws if the tile is not covered
        }
        step.decodeMs = step.decodes == 0 ? 0 : decodeMs(step.decodes, step.decodeKv);
        step.prefillMs = step.prefills == 0 ? 0 : prefillMs(step);
        double attention = projections[tile]
                + kvSaveMs(tokens)
                + step.decodeMs
                + step.prefillMs
                + communication[tile]
                + inputNorm[tile];
        return attention + mlp[tile] + residual[tile];
    }

    private int tiles(int tokens) {
        return (tokens + tileTokens - 1) / tileTokens;
    }

    private void fillTile(int tile) {
        int tokens = tile * tileTokens;
        double attention = token(Operator.ATTN_PRE_PROJ, tokens)
                + token(Operator.ATTN_POST_PROJ, tokens)
                + token(Operator.ATTN_ROPE, tokens);
        double comm = tensorParallel ? token(Operator.ALL_REDUCE, tokens) + launchMs + skewMs : 0;
        double norm = token(Operator.INPUT_LAYERNORM, tokens);
        double feedForward = token(Operator.MLP_UP_PROJ, tokens)
                + token(Operator.MLP_DOWN_PROJ, tokens)
                + token(Operator.MLP_ACT, tokens)
                + comm
                + (model.postAttentionNorm() ? token(Operator.POST_ATTENTION_LAYERNORM, tokens) : 0);
        double add = token(Operator.ADD, tokens);
        if (tile >= projections.length) {
            int size = Math.max(64, 2 * tile);
            projections = grown(projections, size);
            communication = grown(communication, size);
            inputNorm = grown(inputNorm, size);
            mlp = grown(mlp, size);
            residual = grown(residual, size);
        }
        projections[tile] = attention;
        communication[tile] = comm;
        inputNorm[tile] = norm;
        mlp[tile] = feedForward;
        residual[tile] = add;
    }

    private double token(Operator operator, int tokens) {
        return times.milliseconds(operator, tokens);
    }

    private double kvSaveMs(int tokens) {
        if (tokens >= kvSave.length) {
            kvSave = grown(kvSave, Math.max(256, 2 * tokens));
        }
        if (Double.isNaN(kvSave[tokens])) {
            kvSave[tokens] = times.milliseconds(Operator.ATTN_KV_CACHE_SAVE, tokens);
        }
        return kvSave[tokens];
    }

    private double decodeMs(int requests, int kv) {
        int step = kv / granularity;
        if (step >= kvSteps) {
            return times.decodeMilliseconds(requests, kv); // throws
        }
        long wide = (long) requests * kvSteps + step;
        if (wide >= MAX_KEPT) {
            double ms = times.decodeMilliseconds(requests, kv);
            return requests > 1 && model.groupedQuery() ? ms * decodeFactor : ms;
        }
        int at = (int) wide;
        if (at >= decode.length) {
            long wanted = (requests + 1L) * kvSteps * 2;
            decode = grown(decode, (int) Math.max(256, Math.min(MAX_KEPT, wanted)));
        }
        if (Double.isNaN(decode[at])) {
            double ms = times.decodeMilliseconds(requests, kv);
            decode[at] = requests > 1 && model.groupedQuery() ? ms * decodeFactor : ms;
        }
        return decode[at];
    }

    private double prefillMs(Step step) {
        double ms = step.apart ? step.summedPrefillMs : times.prefillMilliseconds(step.prefillKv, step.prefillChunk);
        return step.prefills > 1 && model.groupedQuery() ? ms * prefillFactor : ms;
    }

    private double cpuMs(int requests) {
        if (requests >= cpu.length) {
            cpu = grown(cpu, Math.max(64, 2 * requests));
        }
        if (Double.isNaN(cpu[requests])) {
            cpu[requests] = times.milliseconds(Operator.SCHEDULE, requests)
                    + times.milliseconds(Operator.SAMPLER_E2E, requests)
                    + times.milliseconds(Operator.PREPARE_INPUTS_E2E, requests)
                    + times.milliseconds(Operator.PROCESS_MODEL_OUTPUTS, requests)
                    + times.milliseconds(Operator.RAY_COMM_TIME, requests);
        }
        return cpu[requests];
    }

    private static double[] grown(double[] array, int size) {
        double[] more = Arrays.copyOf(array, size);
        Arrays.fill(more, array.length, size, UNKNOWN);
        return more;
    }
}
