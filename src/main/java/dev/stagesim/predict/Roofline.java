package dev.stagesim.predict;

import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;

/**
 * Operator times of one layer from its dimensions: the greater of computing time and memory time, plus a fixed time per
 * kernel.
 *
 * <p>Weights, activations and KV cache are 16-bit values. Layers that differ (dense and mixture-of-experts, windowed and
 * full attention) are averaged, so that a layer's time times the number of layers is the model's. Formulas and sources
 * are in {@code specs/profiling.md}.
 */
public final class Roofline {
    /** Bytes of a value. */
    static final double VALUE_BYTES = 2;

    private static final double MILLIS = 1e3;

    private final ModelCard model;
    private final DeviceRates rates;
    private final int tensorParallel;
    private final double queryHeads;
    private final double kvHeads;
    private final WindowedAttention attention;

    /**
     * Builds the model of a layer that is split over {@code tensorParallel} devices.
     *
     * @throws StageException when the model has compressed keys and values, or does not split that way
     */
    public Roofline(ModelCard model, DeviceRates rates, int tensorParallel) {
        if (model.isLatentAttention()) {
            throw StageException.input(Problem.of(
                            "config error",
                            "model.attention",
                            model.name()
                                    + " has latent attention (mla), which a bundle in Vidur's layout cannot describe")
                    .hint("choose a model with mha, gqa or mqa attention, or give operator times of your own:"
                            + " vidur_sim predictor=tables predictor.dir=<folder>"));
        }
        if (!splits(model, tensorParallel)) {
            throw StageException.input(Problem.of(
                    "config error",
                    "profile.tensor_parallel_sizes",
                    tensorParallel + " does not divide the " + model.numHeads()
                            + " query heads and the feed-forward width of " + model.name()));
        }
        this.model = model;
        this.rates = rates;
        this.tensorParallel = tensorParallel;
        this.queryHeads = model.numHeads() / (double) tensorParallel;
        this.kvHeads = Math.ceil(model.numKvHeads() / (double) tensorParallel);
        this.attention = WindowedAttention.of(model);
    }

    /** Whether heads and feed-forward width divide by the degree. */
    public static boolean splits(ModelCard model, int tensorParallel) {
        int width = model.isMixtureOfExperts() ? model.moeFfnDim().orElseThrow() : model.ffnDim();
        return model.numHeads() % tensorParallel == 0 && width % tensorParallel == 0;
    }

    /** Milliseconds of an operator keyed by tokens. */
    public double milliseconds(Operator operator, int tokens) {
        return switch (operator) {
            case ALL_REDUCE -> allReduceMilliseconds(tokens);
            case SEND_RECV -> sendRecvMilliseconds(tokens, true);
            case MLP_UP_PROJ, MLP_ACT, MLP_DOWN_PROJ -> feedForward(operator, tokens);
            default -> matmulTime(work(operator, tokens));
        };
    }

    /** Milliseconds of decoding one token for each of {@code batch} requests with {@code kvTokens} cached tokens. */
    public double decodeMilliseconds(int batch, int kvTokens) {
        return attentionTime(kvTokens, 1, batch);
    }

    /** Milliseconds of a prefill chunk of one request. */
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        return attentionTime(kvTokens, chunkTokens, 1);
    }

    /** Milliseconds of looking up embeddings. */
    public double embeddingMilliseconds(int tokens) {
        return matmulTime(Work.moving(2.0 * tokens * model.hiddenSize()));
    }

    /** What an operator other than feed-forward and network asks of a device. */
    private Work work(Operator operator, double tokens) {
        double hidden = model.hiddenSize();
        double queries = queryHeads * model.headDim();
        double keys = kvHeads * model.headDim();
        return switch (operator) {
            case ATTN_PRE_PROJ -> Work.matmul(tokens, queries + 2 * keys, hidden);
            case ATTN_POST_PROJ -> Work.matmul(tokens, hidden, queries);
            case ATTN_ROPE -> rope(tokens * (queries + keys));
            case ATTN_KV_CACHE_SAVE -> Work.moving(4 * tokens * keys);
            case INPUT_LAYERNORM -> Work.moving(2 * tokens * hidden);
            case POST_ATTENTION_LAYERNORM -> model.postAttentionNorm() ? Work.moving(2 * tokens * hidden) : Work.NONE;
            case ADD -> Work.moving(3 * tokens * hidden);
            default -> throw new IllegalArgumentException(operator + " is not keyed by tokens");
        };
    }

    /** Rotates queries and keys; where they are normalised per head, two more kernels read and write them. */
    private Work rope(double values) {
        Work rotate = Work.moving(2 * values);
        return model.qkNorm() ? rotate.plus(new Work(0, VALUE_BYTES * 2 * values, 2)) : rotate;
    }

    private double feedForward(Operator operator, double tokens) {
        double dense = matmulTime(mlp(operator, tokens, model.ffnDim() / (double) tensorParallel));
        if (!model.isMixtureOfExperts()) {
            return dense;
        }
        double expertLayers = expertLayers();
        double layers = model.numLayers();
        return (expertLayers * matmulTime(experts(operator, tokens)) + (layers - expertLayers) * dense) / layers;
    }

    private int expertLayers() {
        int first = model.firstDenseLayers().orElse(0);
        int step = model.moeLayerStep().orElse(1);
        return (model.numLayers() - first) / step;
    }

    private Work mlp(Operator operator, double tokens, double width) {
        double hidden = model.hiddenSize();
        int inputs = model.gatedMlp() ? 2 : 1;
        return switch (operator) {
            case MLP_UP_PROJ -> Work.matmul(tokens, inputs * width, hidden);
            case MLP_ACT -> Work.moving((inputs + 1) * tokens * width);
            default -> Work.matmul(tokens, hidden, width);
        };
    }

    /** Routed experts that the tokens visit, in one grouped kernel, the shared expert and, before them, the router. */
    private Work experts(Operator operator, double tokens) {
        double all = model.numExperts().orElseThrow();
        double perToken = model.expertsPerToken().orElseThrow();
        double visited = all * -Math.expm1(tokens * Math.log1p(-Math.min(perToken / all, 1 - 1e-12)));
        double width = model.moeFfnDim().orElseThrow() / (double) tensorParallel;
        Work one = mlp(operator, tokens * perToken / visited, width);
        Work routed = new Work(one.flops() * visited, one.bytes() * visited, one.kernels());
        double sharedWidth = model.sharedFfnDim().orElse(0) / (double) tensorParallel;
        Work both = sharedWidth > 0 ? routed.plus(mlp(operator, tokens, sharedWidth)) : routed;
        return operator == Operator.MLP_UP_PROJ ? both.plus(Work.matmul(tokens, all, model.hiddenSize())) : both;
    }

    private double attentionTime(int kvTokens, int chunk, int batch) {
        double headDim = model.headDim();
        double flops = batch * 4 * queryHeads * headDim * attention.pairs(kvTokens, chunk);
        double values = batch * headDim * (2 * queryHeads * chunk + 2 * kvHeads * attention.read(kvTokens, chunk));
        return MILLIS
                * new Work(flops, VALUE_BYTES * values, 1)
                        .seconds(rates.attentionFlops(), rates.memoryBytes(), rates.kernelSeconds());
    }

    private double matmulTime(Work work) {
        return MILLIS * work.seconds(rates.matmulFlops(), rates.memoryBytes(), rates.kernelSeconds());
    }

    /** Ring all-reduce inside a node: 2 (n - 1) hops, each of an n-th of the data. */
    private double allReduceMilliseconds(double tokens) {
        double hops = 2.0 * (tensorParallel - 1);
        double bytes = VALUE_BYTES * tokens * model.hiddenSize();
        return MILLIS
                * (rates.collectiveSeconds()
                        + hops * rates.hopSeconds()
                        + hops / tensorParallel * bytes / rates.linkBytes());
    }

    /** Sending activations to the next pipeline stage, in the same node or through the network. */
    public double sendRecvMilliseconds(double tokens, boolean sameNode) {
        double bytes = VALUE_BYTES * tokens * model.hiddenSize();
        double hop = sameNode ? rates.hopSeconds() : rates.networkHopSeconds();
        double bandwidth = sameNode ? rates.linkBytes() : rates.networkBytes();
        return MILLIS * (rates.collectiveSeconds() + hop + bytes / bandwidth);
    }
}
