package dev.stagesim.sim.mnk;

import dev.stagesim.model.card.LayerPattern;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelFeature;
import dev.stagesim.model.card.ModelSize;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The matrix products of a decoder-only transformer, layer by layer, for a batch of sequences of one length.
 *
 * <p>Caveats: attention is dense, without a reduction for the causal mask; every expert has the same number of tokens,
 * rounded up; latent attention expands keys and values of new tokens only.
 */
public final class TransformerLayers {
    /** Features of model cards that the layers include. */
    public static final Set<ModelFeature> MODELLED = Collections.unmodifiableSet(
            EnumSet.of(ModelFeature.WINDOWS, ModelFeature.EXPERT_LAYERS, ModelFeature.LATENT_EXPERTS));

    private final ModelCard model;
    private final LayerPattern pattern;
    private final int batch;
    private final int sequence;
    private final TransformerPhase phase;
    private final Parallelism parallelism;
    private final List<MnkLayer> layers = new ArrayList<>();

    private TransformerLayers(
            ModelCard model, int batch, int sequence, TransformerPhase phase, Parallelism parallelism) {
        this.model = model;
        this.pattern = LayerPattern.of(model);
        this.batch = batch;
        this.sequence = sequence;
        this.phase = phase;
        this.parallelism = parallelism;
    }

    /**
     * Derives the layers.
     *
     * @param sequence tokens of each sequence, including new ones
     * @param blocks transformer layers, from the first
     * @param cluster processors; the vocabulary of the head is padded to whole shares
     * @throws ArithmeticException if a dimension exceeds an int
     */
    public static List<MnkLayer> of(
            ModelCard model,
            int batch,
            int sequence,
            int blocks,
            TransformerPhase phase,
            Parallelism parallelism,
            Cluster cluster) {
        TransformerLayers table = new TransformerLayers(model, batch, sequence, phase, parallelism);
        table.add(
                "embedding",
                table.tokens(),
                model.shape().hiddenSize(),
                model.shape().vocabSize(),
                LayerType.EMBEDDING,
                1);
        for (int block = 0; block < blocks; block++) {
            table.block(block);
        }
        int predicted = phase.isTraining() ? table.tokens() : batch;
        int shares = parallelism.outputShares(cluster);
        int padded = Math.multiplyExact((model.shape().vocabSize() + shares - 1) / shares, shares);
        table.weights("lm_head", predicted, padded, model.shape().hiddenSize());
        return List.copyOf(table.layers);
    }

    private int tokens() {
        return phase == TransformerPhase.DECODE ? batch : Math.multiplyExact(batch, sequence);
    }

    private void add(String name, int m, int n, int k, LayerType type, int count) {
        layers.add(new MnkLayer(name, m, n, k, parallelism, type, count));
    }

    private void weights(String name, int m, int n, int k) {
        add(name, m, n, k, LayerType.GEMM, 1);
    }

    private void block(int index) {
        String prefix = "layer" + index + ".";
        projections(prefix);
        attention(prefix, index);
        boolean isSparse = ModelSize.isMixture(model, index);
        if (!isSparse) {
            feedForward(
                    prefix, tokens(), model.shape().ffnDim(), 1, model.shape().hiddenSize());
            return;
        }
        int experts = model.experts().numExperts().orElseThrow();
        int each = model.experts().expertsPerToken().orElseThrow();
        weights(prefix + "router", tokens(), experts, model.shape().hiddenSize());
        long routed = Math.multiplyExact((long) tokens(), each);
        int busy = (int) Math.min(experts, routed);
        int perExpert = Math.toIntExact((routed + busy - 1) / busy);
        int narrow = model.expertHiddenSize();
        if (narrow != model.shape().hiddenSize()) {
            weights(prefix + "latent_down", tokens(), narrow, model.shape().hiddenSize());
        }
        feedForward(prefix + "expert_", perExpert, model.experts().moeFfnDim().orElseThrow(), busy, narrow);
        if (narrow != model.shape().hiddenSize()) {
            weights(prefix + "latent_up", tokens(), model.shape().hiddenSize(), narrow);
        }
        int shared = model.experts().sharedFfnDim().orElse(0);
        if (shared > 0) {
            feedForward(prefix + "shared_", tokens(), shared, 1, model.shape().hiddenSize());
        }
    }

    private void projections(String prefix) {
        int hidden = model.shape().hiddenSize();
        if (!model.isLatentAttention()) {
            int width = Math.multiplyExact(
                    model.shape().numHeads() + 2 * model.shape().numKvHeads(),
                    model.shape().headDim());
            weights(prefix + "qkv", tokens(), width, hidden);
            return;
        }
        int queries = Math.multiplyExact(model.shape().numHeads(), queryDim());
        int rank = model.latent().qLoraRank().orElse(0);
        if (rank > 0) {
            weights(prefix + "q_down", tokens(), rank, hidden);
        }
        weights(prefix + "q_up", tokens(), queries, rank > 0 ? rank : hidden);
        int latent = model.latent().kvLoraRank().orElseThrow();
        weights(
                prefix + "kv_down",
                tokens(),
                latent + model.latent().qkRopeDim().orElse(0),
                hidden);
        int expanded = Math.multiplyExact(model.shape().numHeads(), nopeDim() + valueDim());
        weights(prefix + "kv_up", tokens(), expanded, latent);
    }

    private int queryDim() {
        return model.isLatentAttention()
                ? nopeDim() + model.latent().qkRopeDim().orElse(0)
                : model.shape().headDim();
    }

    private int nopeDim() {
        return model.latent().qkNopeDim().orElse(model.shape().headDim());
    }

    private int valueDim() {
        return model.latent().vHeadDim().orElse(model.shape().headDim());
    }

    /** Adds the attention products. Query heads that share keys and values are rows of one product. */
    private void attention(String prefix, int index) {
        int groups = model.isLatentAttention()
                ? model.shape().numHeads()
                : model.shape().numKvHeads();
        int fresh = phase == TransformerPhase.DECODE ? 1 : sequence;
        int rows = Math.multiplyExact(fresh, model.shape().numHeads() / groups);
        int keys = pattern.isWindowed(index)
                ? Math.min(sequence, model.window().slidingWindow().orElseThrow())
                : sequence;
        int count = Math.multiplyExact(batch, groups);
        add(prefix + "score", rows, keys, queryDim(), LayerType.SCORE, count);
        add(prefix + "context", rows, valueDim(), keys, LayerType.CONTEXT, count);
        weights(
                prefix + "projection",
                tokens(),
                model.shape().hiddenSize(),
                model.shape().numHeads() * valueDim());
    }

    private void feedForward(String prefix, int inputs, int width, int count, int hidden) {
        int up = Math.multiplyExact(width, model.shape().mlpMatrices() - 1);
        String name = prefix + (model.gatedMlp() ? "ffn_gate_up" : "ffn_up");
        add(name, inputs, up, hidden, LayerType.GEMM, count);
        add(prefix + "ffn_down", inputs, hidden, width, LayerType.GEMM, count);
    }
}
