package dev.stagesim.sim.kernels;

import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.predict.ForwardingTimes;
import dev.stagesim.predict.OperatorTimes;

/**
 * Operator times with context parallelism.
 *
 * <p>Decode: the devices that share heads exchange their queries; each attends to its cached tokens, and the partial
 * results are combined with their softmax sums. Prefill: each group computes its share of a chunk, balanced by
 * query-key pairs, and receives the keys and values of all groups.
 */
public final class ContextTimes implements ForwardingTimes {
    private static final double MS_PER_US = 1e-3;
    private static final double ACTIVATION_BYTES = 2;
    private static final double SUM_BYTES = 4;

    private final OperatorTimes operators;
    private final ContextSharding context;
    private final Kernels kernels;
    private final Links links;
    private final Links.Group sharers;
    private final Links.Group groups;
    private final Links.Group holders;
    private final int step;
    private final int maxKvTokens;
    private final boolean isLatent;
    private final double heads;
    /** Elements of a query, of a head's output, and of a token's cache on a device. */
    private final double query;

    private final double output;
    private final double cached;
    private final double cacheBytes;

    public ContextTimes(
            OperatorTimes operators,
            ModelCard model,
            HardwareCard hardware,
            StepCard engine,
            int tensor,
            ContextSharding context) {
        this.operators = operators;
        this.context = context;
        kernels = new Kernels(hardware, engine);
        links = new Links(hardware);
        sharers = links.group(context.decode(), 1, 1);
        groups = links.group(1, context.prefill(), tensor);
        holders = links.group(context.decode(), context.prefill(), tensor);
        step = operators.coverage().kvGranularity();
        maxKvTokens = operators.coverage().maxKvTokens() / step * step;
        isLatent = model.isLatentAttention();
        heads = model.shape().numHeads() / (double) tensor;
        output = isLatent
                ? model.latent().kvLoraRank().orElseThrow()
                : model.shape().headDim();
        query = isLatent ? output + model.latent().qkRopeDim().orElse(0) : output;
        cached = isLatent
                ? query
                : 2
                        * Math.ceil(model.shape().numKvHeads() / (double) tensor)
                        * model.shape().headDim();
        cacheBytes = model.cacheBytes();
    }

    @Override
    public OperatorTimes operators() {
        return operators;
    }

    @Override
    public double decodeMilliseconds(int batch, int kvTokens) {
        int maxTokensPerDevice = context.maxTokensPerDevice(kvTokens);
        double tokens = (double) batch * maxTokensPerDevice;
        double all = heads * context.decode();
        double flopsPerHead = 2 * (query + output);
        double compute = MS_PER_US
                * (isLatent
                        ? kernels.latentCompute(tokens, all, cacheBytes, flopsPerHead)
                        : kernels.decodeCompute(tokens, all * flopsPerHead));
        return Math.max(operators.decodeMilliseconds(batch, rounded(maxTokensPerDevice)), compute)
                + MS_PER_US * combine(batch, true);
    }

    @Override
    public double addedPrefillMilliseconds(int kvTokens, int chunkTokens) {
        return prefillMilliseconds(kvTokens, chunkTokens);
    }

    @Override
    public double prefillKernelMilliseconds() {
        return 0;
    }

    @Override
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        int share = context.share(chunkTokens);
        double fresh = ACTIVATION_BYTES * cached * chunkTokens;
        double micros = links.allGather(fresh, groups);
        if (kvTokens > 0) {
            double before = cacheBytes * cached * kvTokens;
            micros += isLatent
                    ? links.allGather(before, holders)
                    : links.allGather(before, groups) + combine(share, false);
        }
        return attention(rounded(kvTokens + (chunkTokens - share) / 2), share) + MS_PER_US * micros;
    }

    /**
     * Prefill attention of a share. The context before it may exceed the operators' coverage, because chunks of several
     * prompts are merged; beyond it, the time is scaled by the number of query-key pairs.
     */
    private double attention(int before, int share) {
        int known = Math.min(before, maxKvTokens);
        double pairs = (before + share / 2.0) / (known + share / 2.0);
        return pairs * operators.prefillMilliseconds(known, share);
    }

    /**
     * Communication in microseconds: queries to all devices with a part of the context, and their partial results back.
     * In decode, all groups are involved.
     */
    private double combine(int tokens, boolean isEverywhere) {
        int decode = context.decode();
        double all = heads * decode * tokens;
        double micros = links.allGather(ACTIVATION_BYTES * all * query, sharers)
                + links.allGather(SUM_BYTES * all * decode, sharers)
                + links.allGather(ACTIVATION_BYTES * all * output, sharers);
        if (isEverywhere) {
            micros += links.allGather(SUM_BYTES * heads * tokens * context.prefill(), groups)
                    + links.allReduce(ACTIVATION_BYTES * heads * tokens * output, groups);
        }
        return micros;
    }

    /**
     * True if the card has links between all communicating devices.
     *
     * @param tensor tensor-parallel devices of a group
     */
    public static boolean canExchange(HardwareCard hardware, int tensor, ContextSharding context) {
        Links links = new Links(hardware);
        return links.canLink(links.group(context.decode(), context.prefill(), tensor));
    }

    private int rounded(int tokens) {
        return (tokens + step - 1) / step * step;
    }
}
