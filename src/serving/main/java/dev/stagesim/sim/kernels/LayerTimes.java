package dev.stagesim.sim.kernels;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.LayerGroup;
import dev.stagesim.model.card.LayerPattern;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.card.StoredShare;
import dev.stagesim.model.hardware.GraphModes;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.SharedLayers;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Operator times of a model's average layer on one device, computed from the model card.
 *
 * <p>Layers of different kinds (dense and mixture-of-experts, windowed and full attention, attention and recurrent
 * state) are averaged, so that the time of a layer times the number of layers is the time of the model.
 */
public final class LayerTimes implements OperatorTimes, SharedLayers {
    private static final double MS_PER_US = 1e-3;
    private static final double ACTIVATION_BYTES = 2;
    /** KV lengths are rounded up to a multiple of this. */
    public static final int KV_STEP = 16;

    /**
     * Element-wise operators of a layer with separate times: two norms, rotation, cache write, activation, residual.
     */
    private static final double SMALL_OPERATORS = 6;

    /** Element-wise kernels of an indexer, and their reads and writes of its queries. */
    private static final double INDEX_KERNELS = 5;

    private static final double INDEX_PASSES = 4;

    /** Share of an expert's matrices before its activation (two of three). */
    private static final double UP_SHARE = 2.0 / 3;

    /** Bytes of a token in 8 bits with a 4-byte scale per 128 values, relative to 16 bits. */
    private static final double DISPATCHED = (1 + 4.0 / 128) / 2;

    private final ModelCard model;
    private final StepCard engine;
    private final int graphMaxTokens;
    private final int[][] captured;
    private final Sharding sharding;
    private final Kernels kernels;
    private final StateKernels states;
    private final Links links;
    private final WindowedAttention cached;
    private final WindowedAttention scored;
    private final List<List<StoredShare>> stored;
    private final Experts experts;
    private final @Nullable ExpertTraffic traffic;
    private final double queryHeads;
    private final double kvHeads;
    private final double attentionShare;
    private final double stateShare;
    private final double indexShare;
    private final double extraWidth;
    private final double denseShare;
    private final double expertShare;
    private final double collective;
    private final Coverage coverage;

    /**
     * Builds the times of a layer.
     *
     * @throws StageException if the model cannot be split this way or the hardware card lacks a rate
     */
    public LayerTimes(ModelCard model, HardwareCard hardware, StepCard engine, Sharding sharding) {
        this(model, hardware, engine, sharding, Integer.MAX_VALUE / KV_STEP * KV_STEP);
    }

    /** Builds the times with a maximum KV length, a multiple of 16. Callers that tabulate the times limit it. */
    public LayerTimes(ModelCard model, HardwareCard hardware, StepCard engine, Sharding sharding, int maxKvTokens) {
        this(model, hardware, engine, sharding, maxKvTokens, null);
    }

    /** Builds the times with observed expert loads, or with the default popularity if {@code traffic} is null. */
    public LayerTimes(
            ModelCard model,
            HardwareCard hardware,
            StepCard engine,
            Sharding sharding,
            int maxKvTokens,
            @Nullable ExpertTraffic traffic) {
        if (!splits(model, sharding.tensor())) {
            throw StageException.input(Problem.config(
                    "cluster.tensor_parallel_size",
                    sharding.tensor() + " does not divide the " + model.shape().numHeads() + " query heads of "
                            + model.name()));
        }
        this.model = model;
        this.engine = engine;
        boolean graphs = engine.graphs().execution() == StepCard.Execution.GRAPH;
        graphMaxTokens = graphs ? engine.graphs().graphMaxTokens() : -1;
        captured = graphs ? engine.graphs().captured() : new int[0][];
        this.sharding = sharding;
        this.kernels = new Kernels(hardware, engine);
        this.states = new StateKernels(hardware, engine, 0);
        this.links = new Links(hardware, engine.factors().fastAllReduce());
        boolean hasOwnWindow = ModelSize.hasOwnWindowShape(model);
        double windowValues = ModelSize.windowKvValues(model) / (double) ModelSize.kvValues(model);
        double windowScores = (double) ModelSize.windowHeads(model)
                * ModelSize.windowHeadDim(model)
                / ((double) model.shape().numHeads() * model.shape().headDim());
        this.cached = WindowedAttention.of(model, hasOwnWindow ? windowValues : 1);
        this.scored = WindowedAttention.of(model, hasOwnWindow ? windowScores : 1);
        stored = Arrays.stream(LayerGroup.values()).map(model::stored).toList();
        this.experts = new Experts(model);
        this.traffic = traffic;
        queryHeads = model.shape().numHeads() / (double) sharding.tensor();
        kvHeads = Math.ceil(model.shape().numKvHeads() / (double) sharding.tensor());
        double layers = model.shape().numLayers();
        attentionShare = ModelSize.attentionLayers(model) / layers;
        stateShare = model.hybrid().stateLayers().orElse(0) / layers;
        indexShare = ModelSize.indexLayers(model) / layers;
        extraWidth = extraWidth(model);
        expertShare = ModelSize.expertLayers(model) / layers;
        denseShare = ModelSize.ffnLayers(model) / layers - expertShare;
        collective = engine.factors().allReduce();
        coverage = new Coverage(Integer.MAX_VALUE, Integer.MAX_VALUE, maxKvTokens, Integer.MAX_VALUE, KV_STEP);
    }

    /** True if the degree divides the query heads and the width of the feed-forward part. */
    public static boolean splits(ModelCard model, int tensorParallel) {
        int width = model.isMixtureOfExperts()
                ? model.experts().moeFfnDim().orElseThrow()
                : model.shape().ffnDim();
        return model.shape().numHeads() % tensorParallel == 0 && width % tensorParallel == 0;
    }

    /** The granularity of KV lengths; there are no other limits. */
    @Override
    public Coverage coverage() {
        return coverage;
    }

    @Override
    public double milliseconds(Operator operator, int count) {
        int tokens = padded(count);
        double hidden = model.shape().hiddenSize();
        double queries = queryHeads * model.shape().headDim();
        double keys = kvHeads * model.shape().headDim();
        double micros =
                switch (operator) {
                    case ATTN_PRE_PROJ ->
                        attentionShare * before(tokens) + indexShare * indexIn(tokens) + stateIn(tokens);
                    case ATTN_POST_PROJ -> attentionShare * after(tokens) + stateOut(tokens);
                    case ATTN_ROPE ->
                        attentionShare * small((model.shape().qkNorm() ? 4 : 2) * tokens * (queries + keys));
                    case ATTN_KV_CACHE_SAVE -> attentionShare * small(4 * tokens * keys);
                    case INPUT_LAYERNORM -> small(2 * tokens * hidden);
                    case POST_ATTENTION_LAYERNORM -> model.shape().postAttentionNorm() ? small(2 * tokens * hidden) : 0;
                    case ADD -> small(3 * tokens * hidden);
                    case MLP_UP_PROJ ->
                        denseShare * up(tokens, model.shape().ffnDim(), LayerGroup.DENSE)
                                + expertShare * expertsUp(tokens);
                    case MLP_DOWN_PROJ ->
                        denseShare * down(tokens, model.shape().ffnDim(), LayerGroup.DENSE)
                                + expertShare * expertsDown(tokens);
                    case MLP_ACT -> small((model.gatedMlp() ? 3 : 2) * tokens * activated());
                    case ALL_REDUCE -> communication(tokens) / 2;
                    case SEND_RECV -> links.send(ACTIVATION_BYTES * tokens * hidden, true);
                    default -> 0;
                };
        return micros * MS_PER_US;
    }

    private int padded(int count) {
        return count <= graphMaxTokens ? GraphModes.padded(captured, count) : count;
    }

    /** Milliseconds of a feed-forward operator without the routed experts. */
    double withoutRoutedExperts(Operator operator, int count) {
        int tokens = padded(count);
        double routed =
                switch (operator) {
                    case MLP_UP_PROJ -> UP_SHARE * routed(tokens);
                    case MLP_DOWN_PROJ -> (1 - UP_SHARE) * routed(tokens);
                    default -> routedActivation(tokens);
                };
        return milliseconds(operator, count) - MS_PER_US * expertShare * routed;
    }

    /**
     * Routed experts and token exchange. If all engines have equally many tokens, the counts include the padding of a
     * graph.
     */
    @Override
    public double milliseconds(int maxTokens, long all) {
        long rows = rows(maxTokens, all);
        double copies = sharding.attentionCopies();
        return exchangeMilliseconds(maxTokens, all)
                + MS_PER_US * expertShare * (routedExperts(rows) + routedActivation(rows / copies));
    }

    @Override
    public double exchangeMilliseconds(int maxTokens, long all) {
        double sent = sharding.expertParts() > 1
                ? exchange(padded(maxTokens))
                : 2
                        * links.allGather(
                                ACTIVATION_BYTES
                                        * rows(maxTokens, all)
                                        * model.shape().hiddenSize(),
                                sharding.devices());
        return MS_PER_US * expertShare * sent;
    }

    private long rows(int maxTokens, long all) {
        int copies = sharding.attentionCopies();
        return all == (long) copies * maxTokens ? (long) copies * padded(maxTokens) : all;
    }

    @Override
    public boolean isGraph(int tokens, boolean hasPrompts) {
        return tokens <= graphMaxTokens && (!hasPrompts || engine.graphs().graphPrefill());
    }

    /** Additional activation time of the routed experts, in microseconds. */
    private double routedActivation(double tokens) {
        return kernels.small((model.gatedMlp() ? 3 : 2) * tokens * routedWidth()) - kernels.small(0);
    }

    /** Milliseconds to send activations to a pipeline stage in another node. */
    public double sendBetweenNodes(int tokens) {
        return MS_PER_US * links.send(ACTIVATION_BYTES * tokens * model.shape().hiddenSize(), false);
    }

    /** Milliseconds of the embedding look-up. */
    public double embedding(int tokens) {
        return MS_PER_US * kernels.small(2.0 * tokens * model.shape().hiddenSize());
    }

    /** Milliseconds of the output head for {@code sequences} sequences, including the all-gather of the logits. */
    double head(int sequences) {
        double vocabulary = model.shape().vocabSize();
        int tensor = sharding.tensor();
        LayerGroup group = model.tieEmbeddings() ? LayerGroup.EMBEDDING : LayerGroup.HEAD;
        double product = product(sequences, vocabulary / tensor, model.shape().hiddenSize(), group);
        return MS_PER_US * (product + links.allGather(ACTIVATION_BYTES * sequences * vocabulary, tensor));
    }

    /** Milliseconds of a projection of several states to one. As in engines, it is replicated on every device. */
    double projection(int tokens, int states) {
        double width = model.shape().hiddenSize();
        return MS_PER_US
                * kernels.product(tokens, width, states * width, model.formats().weights());
    }

    /** A product with weights of a group, averaged over the formats of its parts. */
    private double product(double m, double n, double k, LayerGroup group) {
        double micros = 0;
        for (StoredShare part : stored.get(group.ordinal())) {
            micros += part.share() * kernels.product(m, n, k, part.precision());
        }
        return micros;
    }

    /** Additional columns before attention for gates, indexers and shared projections; negative if they save some. */
    private static double extraWidth(ModelCard model) {
        if (model.latent().attentionParams().isEmpty()) {
            return 0;
        }
        double extra = ModelSize.attention(model) - ModelSize.projections(model);
        double index = ModelSize.indexLayers(model) / (double) ModelSize.attentionLayers(model) * indexWeights(model);
        return (extra > index ? extra - index : extra) / model.shape().hiddenSize();
    }

    /** Width of the input of an indexer's queries. */
    private static double indexInput(ModelCard model) {
        return model.latent().qLoraRank().orElse(model.shape().hiddenSize());
    }

    private static double indexWeights(ModelCard model) {
        double heads = model.sparse().indexHeads().orElse(1);
        double width = model.sparse().indexDim().orElse(0);
        return heads * width * indexInput(model)
                + (heads + width) * model.shape().hiddenSize();
    }

    /** Products, norm, rotation and quantisation of an indexer. Every device computes all of its heads. */
    private double indexIn(int tokens) {
        if (indexShare == 0) {
            return 0;
        }
        double heads = model.sparse().indexHeads().orElse(1);
        double width = model.sparse().indexDim().orElse(0);
        return product(tokens, heads * width, indexInput(model), LayerGroup.ATTENTION)
                + product(tokens, heads + width, model.shape().hiddenSize(), LayerGroup.ATTENTION)
                + (INDEX_KERNELS - 1) * kernels.small(0)
                + kernels.small(INDEX_PASSES * tokens * heads * width);
    }

    /** An element-wise operator. The engine's number of kernels is spread over these operators. */
    private double small(double values) {
        double fixedUs = kernels.small(0);
        return kernels.small(values)
                - fixedUs
                + fixedUs * engine.factors().elementwiseKernelsPerLayer() / SMALL_OPERATORS;
    }

    private double activated() {
        double tensor = sharding.tensor();
        double dense = denseShare * model.shape().ffnDim() / tensor;
        if (!model.isMixtureOfExperts()) {
            return dense;
        }
        return dense
                + expertShare * (routedWidth() + model.experts().sharedFfnDim().orElse(0) / tensor);
    }

    /** Intermediate width of the routed experts on a device, per token of one attention copy. */
    private double routedWidth() {
        double rows = model.experts().expertsPerToken().orElseThrow()
                * sharding.attentionCopies()
                / (double) sharding.expertParts();
        return rows * model.experts().moeFfnDim().orElseThrow() / sharding.expertTensor();
    }

    /** Products before attention: queries, keys and values, or their compressed forms and the absorbed key. */
    private double before(int tokens) {
        double hidden = model.shape().hiddenSize();
        double extra = extraWidth / sharding.tensor();
        if (!model.isLatentAttention()) {
            double width = projected() + extra;
            return product(tokens, Math.max(1, width), hidden, LayerGroup.ATTENTION);
        }
        double rope = model.latent().qkRopeDim().orElse(0);
        double nope = model.latent().qkNopeDim().orElse(model.shape().headDim());
        double rank = model.latent().kvLoraRank().orElseThrow();
        double queryRank = model.latent().qLoraRank().orElse(0);
        double wide = queryHeads * (nope + rope);
        double compressed = product(tokens, queryRank + rank + rope + extra, hidden, LayerGroup.ATTENTION);
        double query = product(tokens, wide, queryRank == 0 ? hidden : queryRank, LayerGroup.ATTENTION);
        return compressed + query + kernels.headProducts(tokens, rank, nope, queryHeads);
    }

    /** Columns of queries, keys and values on a device, averaged over full and windowed layers. */
    private double projected() {
        double full = (queryHeads + kvHeads) * model.shape().headDim()
                + kvHeads * model.latent().vHeadDim().orElse(model.shape().headDim());
        if (!ModelSize.hasOwnWindowShape(model)) {
            return full;
        }
        double tensor = sharding.tensor();
        double width = ModelSize.windowHeadDim(model);
        double keys = Math.ceil(ModelSize.windowKvHeads(model) / tensor);
        double window = (ModelSize.windowHeads(model) / tensor + keys) * width
                + keys * model.latent().vHeadDim().orElse((int) width);
        double share = LayerPattern.of(model).share(ModelSize.attentionLayers(model));
        return share * window + (1 - share) * full;
    }

    /** Products after attention: the absorbed value of latent attention, and the output projection. */
    private double after(int tokens) {
        double hidden = model.shape().hiddenSize();
        double value = model.latent().vHeadDim().orElse(model.shape().headDim());
        if (!model.isLatentAttention()) {
            return product(tokens, hidden, queryHeads * value, LayerGroup.ATTENTION);
        }
        return kernels.headProducts(tokens, value, model.latent().kvLoraRank().orElseThrow(), queryHeads)
                + product(tokens, hidden, queryHeads * value, LayerGroup.ATTENTION);
    }

    /** Products before a recurrent state. */
    private double stateIn(int tokens) {
        if (stateShare == 0) {
            return 0;
        }
        double extra = model.hybrid()
                .stateParams()
                .map(weights -> (double) weights / model.shape().hiddenSize()
                        - 3.0 * model.hybrid().stateDim().orElse(0)
                        - model.hybrid().stateGroupDim().orElse(0))
                .orElse(0.0);
        double width = Math.max(
                1,
                (2.0 * model.hybrid().stateDim().orElse(0) + extra) / sharding.tensor()
                        + model.hybrid().stateGroupDim().orElse(0));
        return stateShare * product(tokens, width, model.shape().hiddenSize(), LayerGroup.STATE);
    }

    /** Gated norm and product after a recurrent state. */
    private double stateOut(int tokens) {
        if (stateShare == 0) {
            return 0;
        }
        double width = model.hybrid().stateDim().orElse(0) / (double) sharding.tensor();
        return stateShare
                * (kernels.small(3 * tokens * width)
                        + product(tokens, model.shape().hiddenSize(), width, LayerGroup.STATE));
    }

    private double up(int tokens, double width, LayerGroup group) {
        double inputs = model.gatedMlp() ? 2 : 1;
        return product(tokens, inputs * width / sharding.tensor(), model.shape().hiddenSize(), group);
    }

    private double down(int tokens, double width, LayerGroup group) {
        return product(tokens, model.shape().hiddenSize(), width / sharding.tensor(), group);
    }

    private double expertsUp(int tokens) {
        if (!model.isMixtureOfExperts()) {
            return 0;
        }
        double router = kernels.product(
                sequenceTokens(tokens),
                model.experts().numExperts().orElseThrow(),
                model.shape().hiddenSize(),
                Precision.BF16);
        double shared = model.experts().sharedFfnDim().isPresent()
                ? up(sequenceTokens(tokens), sharedWidth(), LayerGroup.SHARED_EXPERTS)
                : 0;
        return router + shared + latentExperts(tokens) + UP_SHARE * routed(tokens);
    }

    private double expertsDown(int tokens) {
        if (!model.isMixtureOfExperts()) {
            return 0;
        }
        double shared = model.experts().sharedFfnDim().isPresent()
                ? down(sequenceTokens(tokens), sharedWidth(), LayerGroup.SHARED_EXPERTS)
                : 0;
        return shared + (1 - UP_SHARE) * routed(tokens);
    }

    /** Projections to the narrower space of the routed experts and back. */
    private double latentExperts(int tokens) {
        if (model.experts().moeHiddenSize().isEmpty()) {
            return 0;
        }
        double narrow = model.experts().moeHiddenSize().get() / (double) sharding.tensor();
        double hidden = model.shape().hiddenSize();
        return product(tokens, narrow, hidden, LayerGroup.SHARED_EXPERTS)
                + product(tokens, hidden, narrow, LayerGroup.SHARED_EXPERTS);
    }

    /**
     * Returns the tokens of an attention copy that a device sends to the experts. The devices that share the attention have
     * the same tokens, and each of them sends a part (sequence-parallel mixture of experts, in vLLM since 0.11, in SGLang
     * with DeepEP).
     */
    private int sequenceTokens(int tokens) {
        return isSequenceParallel() ? (tokens + sharding.tensor() - 1) / sharding.tensor() : tokens;
    }

    private boolean isSequenceParallel() {
        return model.isMixtureOfExperts() && sharding.isSequenceParallel();
    }

    /** Returns the width of the shared experts; all devices have the whole of them if each computes other tokens. */
    private double sharedWidth() {
        double width = model.experts().sharedFfnDim().orElse(0);
        return isSequenceParallel() ? width * sharding.tensor() : width;
    }

    private double routed(int tokens) {
        return exchange(tokens) + routedExperts((long) tokens * sharding.attentionCopies());
    }

    private double routedExperts(long all) {
        int parts = sharding.expertParts();
        double weights = (double) ModelSize.expert(model) / sharding.expertTensor();
        double busiest = traffic == null ? Experts.imbalance(parts) : traffic.busiest();
        double touched = traffic == null ? experts.touched(all, parts) : traffic.touched(Math.toIntExact(all));
        double routed = (double) all * model.experts().expertsPerToken().orElseThrow();
        double rows = routed / parts * busiest;
        double width = model.experts().moeFfnDim().orElseThrow() / (double) sharding.expertTensor();
        Kernels.Expert expert = new Kernels.Expert(model.expertHiddenSize(), width, weights);
        Kernels.ExpertLoad load = exchanges()
                ? new Kernels.ExpertLoad(touched, Math.min(all, rows), rows, rows)
                : new Kernels.ExpertLoad(touched, all, rows, routed);
        double micros = 0;
        for (StoredShare part : stored.get(LayerGroup.EXPERTS.ordinal())) {
            micros += part.share() * kernels.experts(load, expert, part.precision());
        }
        return micros;
    }

    /**
     * All-reduces of a layer: after attention, and after the feed-forward part unless its tokens are sent to their
     * experts.
     */
    private double communication(int tokens) {
        double reduce = collective
                * links.allReduce(ACTIVATION_BYTES * tokens * model.shape().hiddenSize(), sharding.tensor());
        return exchanges() ? reduce * (2 - expertShare) : 2 * reduce;
    }

    /** True if tokens of several attention copies are sent to the devices of their experts. */
    boolean exchanges() {
        return sharding.attentionCopies() > 1 && model.isMixtureOfExperts();
    }

    /**
     * Dispatch and combine: every token is sent to the devices of its experts and back, and then to all devices of its
     * attention copy. All devices wait for the one with the most tokens.
     */
    private double exchange(int tokens) {
        if (!exchanges()) {
            return 0;
        }
        double values =
                (double) sequenceTokens(tokens) * model.expertHiddenSize() * (traffic == null ? 1 : traffic.busiest());
        int copies = model.experts().expertsPerToken().orElseThrow();
        double dispatched = dispatchesBytes(model) ? DISPATCHED : 1;
        Links.Routing routing = new Links.Routing(copies, sharding.expertParts(), sharding.devices());
        return links.exchange(ACTIVATION_BYTES * dispatched * values, routing)
                + links.exchange(ACTIVATION_BYTES * values, routing)
                + (isSequenceParallel()
                        ? links.allGather(
                                ACTIVATION_BYTES * tokens * model.shape().hiddenSize(), sharding.tensor())
                        : 0);
    }

    /** Returns true if tokens are sent to experts in 8 bits; results return in 16 bits. */
    public static boolean dispatchesBytes(ModelCard model) {
        return model.bytes(LayerGroup.EXPERTS) <= 1;
    }

    @Override
    public int revision() {
        return traffic == null ? 0 : traffic.revision();
    }

    @Override
    public double decodeMilliseconds(int batch, int kvTokens) {
        double attended = cached.read(kvTokens);
        double micros = attentionShare * decodeAttention(batch, attended);
        if (indexShare > 0) {
            double entries = (double) kvTokens / ModelSize.indexRatio(model);
            micros += indexShare
                    * kernels.decodeAttention(
                            batch, Kernels.tiled(entries), 1, ModelSize.indexBytes(model), 1, indexFlops());
            micros += selectionShare(entries) * kernels.select(batch, entries);
        }
        if (stateShare > 0) {
            micros += stateShare * (states.convolutionStep(batch, stateChannels()) + states.step(batch, stateHeads()));
        }
        return micros * MS_PER_US;
    }

    /** Heads of a recurrent state on this device, with states of 128 by 128 values. */
    private double stateHeads() {
        return model.hybrid().stateDim().orElse(0)
                * (double) model.hybrid().stateSize().orElse(0)
                / StateKernels.HEAD_VALUES
                / sharding.tensor();
    }

    /** Channels of the convolution before a recurrent state. */
    private double stateChannels() {
        return (model.hybrid().stateDim().orElse(0)
                        + (double) model.hybrid().stateGroupDim().orElse(0))
                / sharding.tensor();
    }

    private double decodeAttention(int batch, double attended) {
        double bytes = model.cacheBytes();
        if (model.isLatentAttention()) {
            double rank = model.latent().kvLoraRank().orElseThrow();
            double cached = rank + model.latent().qkRopeDim().orElse(0);
            return kernels.latentAttention(batch, attended, queryHeads, cached, bytes, 2 * (cached + rank));
        }
        double values = kvHeads * ModelSize.kvValues(model) / model.shape().numKvHeads();
        double flops = queryHeads * pairFlops();
        return kernels.decodeAttention(batch, attended, kvHeads, values, bytes, flops);
    }

    private double denseAttention(double pairs, int chunkTokens, double keys) {
        double flopsPerPair = pairFlops() * queryHeads;
        double bytes = model.cacheBytes();
        return model.isLatentAttention()
                ? kernels.latentPrefill(pairs, chunkTokens, keys, queryHeads, bytes, flopsPerPair)
                : kernels.prefillAttention(pairs, chunkTokens, keys, queryHeads, flopsPerPair);
    }

    /** True if all layers have latent attention and more keys than they attend to. */
    private boolean selectsTokens(double keys) {
        int topk = model.sparse().indexTopk().orElse(Integer.MAX_VALUE);
        return model.isLatentAttention()
                && keys > topk
                && ModelSize.sparseLayers(model) == model.shape().numLayers();
    }

    /** Attention of a chunk to selected entries of the latent cache, whose width applies instead of that of the heads. */
    private double selectedAttention(int chunkTokens) {
        double rank = model.latent().kvLoraRank().orElseThrow();
        double cached = rank + model.latent().qkRopeDim().orElse(0);
        double selected = (double) chunkTokens * model.sparse().indexTopk().orElseThrow();
        return kernels.selectedAttention(selected, queryHeads, model.cacheBytes(), 2 * (cached + rank));
    }

    /** Share of the layers that select among {@code entries} entries. */
    private double selectionShare(double entries) {
        return entries > model.sparse().indexTopk().orElse(0) ? indexShare : 0;
    }

    /** Operations of the indexer per query-key pair; every device computes all indexer heads. */
    private double indexFlops() {
        return 2.0
                * model.sparse().indexHeads().orElse(1)
                * model.sparse().indexDim().orElse(0);
    }

    @Override
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        double pairs = scored.pairs(kvTokens, chunkTokens);
        double keys = (double) kvTokens + chunkTokens;
        double micros = attentionShare
                * (engine.factors().attention().scoreBytes() > 0
                        ? kernels.attentionInMemory(
                                queryHeads * chunkTokens * keys,
                                pairFlops(),
                                2 * queryHeads * model.shape().headDim() * keys)
                        : selectsTokens(keys)
                                ? selectedAttention(chunkTokens)
                                : denseAttention(pairs, chunkTokens, keys));
        if (indexShare > 0) {
            int ratio = ModelSize.indexRatio(model);
            double all = ((double) kvTokens + chunkTokens / 2.0) * chunkTokens / ratio;
            micros += indexShare * kernels.index(all, indexFlops());
            micros +=
                    selectionShare(keys / ratio) * kernels.select(chunkTokens, (kvTokens + chunkTokens / 2.0) / ratio);
        }
        if (stateShare > 0) {
            micros += stateShare
                    * (states.convolution(1, chunkTokens, stateChannels())
                            + states.scan(1, chunkTokens, stateHeads(), StateKernels.Scan.of(model.family())));
        }
        return micros * MS_PER_US;
    }

    /** Operations of attention per query-key pair and head. */
    private double pairFlops() {
        return 2.0
                * (model.shape().headDim()
                        + model.latent().vHeadDim().orElse(model.shape().headDim()));
    }

    /** Returns true if one kernel computes the prefill attention of all chunks of a step. */
    private boolean mergesPrompts() {
        return engine.factors().attention().scoreBytes() == 0 && indexShare == 0 && stateShare == 0;
    }

    @Override
    public double addedPrefillMilliseconds(int kvTokens, int chunkTokens) {
        if (!mergesPrompts()) {
            return prefillMilliseconds(kvTokens, chunkTokens);
        }
        double pairs = scored.pairs(kvTokens, chunkTokens);
        double flopsPerPair = pairFlops() * queryHeads;
        double bytes = model.cacheBytes();
        return MS_PER_US
                * attentionShare
                * (model.isLatentAttention()
                        ? kernels.latentWork(pairs, chunkTokens, queryHeads, bytes, flopsPerPair)
                        : kernels.prefillWork(pairs, chunkTokens, queryHeads, flopsPerPair));
    }

    @Override
    public double prefillKernelMilliseconds() {
        if (!mergesPrompts()) {
            return 0;
        }
        return MS_PER_US
                * attentionShare
                * (model.isLatentAttention() ? kernels.latentKernel(model.cacheBytes()) : kernels.attentionKernel());
    }
}
