package dev.stagesim.sim.kernels;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.StepCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;

/**
 * Operator times where the cached tokens of a sequence are spread over devices.
 *
 * <p>To decode, a device attends with the queries of all devices that share its heads to the tokens that it holds; the parts
 * are weighted by their softmax sums and added. A group computes its share of a prompt's tokens, dealt out so that all have as
 * many pairs of queries and keys, and is sent the keys and values of the others.
 */
public final class ContextTimes implements OperatorTimes {
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
    private final int mostKv;
    private final boolean isLatent;
    private final double heads;
    /** Values of a query, of a head's output, and of a token's cache on a device. */
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
        mostKv = operators.coverage().maxKvTokens() / step * step;
        isLatent = model.isLatentAttention();
        heads = model.numHeads() / (double) tensor;
        output = isLatent ? model.kvLoraRank().orElseThrow() : model.headDim();
        query = isLatent ? output + model.qkRopeDim().orElse(0) : output;
        cached = isLatent ? query : 2 * Math.ceil(model.numKvHeads() / (double) tensor) * model.headDim();
        cacheBytes = model.kvCache().bytes();
    }

    @Override
    public double milliseconds(Operator operator, int count) {
        return operators.milliseconds(operator, count);
    }

    @Override
    public double decodeMilliseconds(int batch, int kvTokens) {
        int held = context.held(kvTokens);
        double flops = 2 * heads * context.decode() * (query + output);
        double compute = MS_PER_US * kernels.decodeCompute((double) batch * held, flops);
        return Math.max(operators.decodeMilliseconds(batch, rounded(held)), compute) + MS_PER_US * combine(batch, true);
    }

    @Override
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        int own = context.share(chunkTokens);
        double fresh = ACTIVATION_BYTES * cached * chunkTokens;
        double micros = links.allGather(fresh, groups);
        if (kvTokens > 0) {
            double before = cacheBytes * cached * kvTokens;
            micros +=
                    isLatent ? links.allGather(before, holders) : links.allGather(before, groups) + combine(own, false);
        }
        return attention(rounded(kvTokens + (chunkTokens - own) / 2), own) + MS_PER_US * micros;
    }

    /** The tokens before a share may be more than operators know, though the context is not: chunks of several prompts stand for one. */
    private double attention(int before, int own) {
        int known = Math.min(before, mostKv);
        double pairs = (before + own / 2.0) / (known + own / 2.0);
        return pairs * operators.prefillMilliseconds(known, own);
    }

    /** Queries to all devices that hold a part of their context, and what they make of it back; to decode, in all groups. */
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

    /** Whether the card names links between all devices that exchange something, so many tensor-parallel ones in a group. */
    public static boolean canExchange(HardwareCard hardware, int tensor, ContextSharding context) {
        Links links = new Links(hardware);
        return links.canLink(links.group(context.decode(), context.prefill(), tensor));
    }

    private int rounded(int tokens) {
        return (tokens + step - 1) / step * step;
    }

    @Override
    public Coverage coverage() {
        return operators.coverage();
    }
}
