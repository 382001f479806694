package dev.stagesim.io.hf;

import dev.stagesim.io.hf.LayerPlan.Feed;
import dev.stagesim.io.hf.LayerPlan.Mixer;
import dev.stagesim.model.card.LayerGroup;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import java.util.ArrayList;
import java.util.List;

/** Lists the matrices of a model with their names in quantization files. */
final class Modules {
    private final ModelCard card;
    private final List<LayerPlan> layers;
    private final boolean hasDenseBeside;
    private final List<Module> modules = new ArrayList<>();

    /**
     * One matrix, or the matrices of one kind of all experts.
     *
     * @param layer layer, or -1 outside of layers
     * @param group group of weights
     * @param parents spellings of the parent's name
     * @param names spellings of its name
     * @param weights number of weights
     * @param isWide true if every format stores it in at least 16 bits
     */
    record Module(
            int layer, LayerGroup group, List<String> parents, List<String> names, double weights, boolean isWide) {}

    private static final List<String> ATTENTION =
            List.of("self_attn", "attn", "attention", "self_attention", "mixer", "temporal_block");
    private static final List<String> STATE =
            List.of("linear_attn", "mixer", "mamba", "self_attn", "attn", "conv", "linear_attention");
    private static final List<String> FEED = List.of("mlp", "feed_forward", "ffn", "mixer", "block_sparse_moe", "moe");
    private static final List<String> SHARED = List.of(
            "mlp.shared_experts",
            "mlp.shared_expert",
            "mlp.shared_mlp",
            "feed_forward.shared_expert",
            "feed_forward.shared_experts",
            "ffn.shared_experts",
            "mixer.shared_experts",
            "block_sparse_moe.shared_experts",
            "moe.shared_experts",
            "share_expert",
            "shared_mlp");
    private static final List<String> ROUTED = List.of(
            "mlp.experts",
            "feed_forward.experts",
            "ffn.experts",
            "mixer.experts",
            "block_sparse_moe.experts",
            "moe.experts",
            "experts");

    /**
     * Names of experts in layers that also have a dense part; the dense part has the name of experts in other families.
     */
    private static final List<String> BESIDE = List.of("experts", "moe.experts");

    Modules(ModelCard card, List<LayerPlan> layers, Family family) {
        this.card = card;
        this.hasDenseBeside = family.has(Family.Trait.DENSE_BESIDE);
        this.layers = layers;
    }

    List<Module> list() {
        double embedding = (double) card.shape().vocabSize() * card.shape().hiddenSize();
        add(
                -1,
                LayerGroup.EMBEDDING,
                List.of(""),
                embedding,
                "embed_tokens",
                "embeddings",
                "wte",
                "embed",
                "word_embeddings");
        if (!card.tieEmbeddings()) {
            add(-1, LayerGroup.HEAD, List.of(""), embedding, "lm_head", "head", "output", "embed_out");
        }
        for (int i = 0; i < layers.size(); i++) {
            LayerPlan layer = layers.get(i);
            if (layer.mixer().isAttention()) {
                attention(i, layer.mixer());
            } else if (layer.mixer() == Mixer.STATE) {
                state(i);
            }
            if (layer.feed() == Feed.DENSE) {
                feed(
                        i,
                        LayerGroup.DENSE,
                        FEED,
                        ModelSize.matrices(card, card.shape().ffnDim()));
            } else if (layer.feed() == Feed.EXPERTS) {
                mixture(i);
            }
        }
        return modules;
    }

    private void add(int layer, LayerGroup group, List<String> parents, double weights, String... names) {
        modules.add(new Module(layer, group, parents, List.of(names), weights, false));
    }

    private void attention(int layer, Mixer mixer) {
        double hidden = card.shape().hiddenSize();
        double sum = ModelSize.attention(card);
        double listed = 0;
        if (card.isLatentAttention()) {
            listed = latent(layer);
        } else if (card.sparse().compressRatios().isEmpty()) {
            boolean isWindow = mixer != Mixer.FULL;
            double heads = isWindow ? ModelSize.windowHeads(card) : card.shape().numHeads();
            double keys =
                    isWindow ? ModelSize.windowKvHeads(card) : card.shape().numKvHeads();
            double width =
                    isWindow ? ModelSize.windowHeadDim(card) : card.shape().headDim();
            double value = card.latent().vHeadDim().orElse((int) width);
            part(layer, hidden * heads * width, "q_proj", "wq", "qkv_proj", "query_key_value", "c_attn", "query");
            part(layer, hidden * keys * width, "k_proj", "wk", "qkv_proj", "query_key_value", "c_attn", "key");
            part(layer, hidden * keys * value, "v_proj", "wv", "qkv_proj", "query_key_value", "c_attn", "value");
            part(layer, hidden * heads * value, "o_proj", "wo", "out_proj", "dense", "c_proj");
            listed = hidden * (heads * (width + value) + keys * (width + value));
        }
        if (sum > listed) {
            part(layer, sum - listed, "indexer", "compressor", "index_q_proj", "g_proj", "q_proj", "wq_a", "o_a_proj");
        }
    }

    private double latent(int layer) {
        double hidden = card.shape().hiddenSize();
        double heads = card.shape().numHeads();
        double rope = card.latent().qkRopeDim().orElse(0);
        double wide = heads * (card.latent().qkNopeDim().orElse(card.shape().headDim()) + rope);
        double value = card.latent().vHeadDim().orElse(card.shape().headDim());
        double queryRank = card.latent().qLoraRank().orElse(0);
        double rank = card.latent().kvLoraRank().orElse(0);
        double up =
                rank * heads * (card.latent().qkNopeDim().orElse(card.shape().headDim()) + value);
        if (queryRank > 0) {
            part(layer, hidden * queryRank, "q_a_proj", "wq_a", "fused_qkv_a_proj");
            part(layer, queryRank * wide, "q_b_proj", "wq_b");
        } else {
            part(layer, hidden * wide, "q_proj", "wq");
        }
        part(layer, hidden * (rank + rope), "kv_a_proj_with_mqa", "wkv_a", "kv_a_proj", "fused_qkv_a_proj");
        part(layer, up, "kv_b_proj", "wkv_b");
        part(layer, heads * value * hidden, "o_proj", "wo");
        double query = queryRank > 0 ? queryRank * (hidden + wide) : hidden * wide;
        return query + hidden * (rank + rope) + up + heads * value * hidden;
    }

    private void part(int layer, double weights, String... names) {
        add(layer, LayerGroup.ATTENTION, ATTENTION, weights, names);
    }

    private void state(int layer) {
        double out = (double) card.hybrid().stateDim().orElse(0) * card.shape().hiddenSize();
        double sum = ModelSize.state(card);
        double rest = Math.max(0, sum - out);
        boolean isDelta = !card.family().equals("nemotron_h");
        if (isDelta) {
            double gate = Math.min(rest, out);
            add(layer, LayerGroup.STATE, STATE, rest - gate, "in_proj_qkv", "in_proj_qkvz", "in_proj", "q_proj");
            add(layer, LayerGroup.STATE, STATE, gate, "in_proj_z", "in_proj_qkvz", "in_proj", "g_proj");
        } else {
            add(layer, LayerGroup.STATE, STATE, rest, "in_proj");
        }
        add(layer, LayerGroup.STATE, STATE, Math.min(sum, out), "out_proj", "o_proj");
    }

    private void feed(int layer, LayerGroup group, List<String> parents, double weights) {
        double each = weights / card.shape().mlpMatrices();
        if (card.gatedMlp()) {
            add(layer, group, parents, each, "gate_proj", "w1", "gate_up_proj", "linear_fc1");
        }
        add(layer, group, parents, each, "up_proj", "w3", "gate_up_proj", "linear_fc1", "c_fc", "fc1", "dense_h_to_4h");
        add(layer, group, parents, each, "down_proj", "w2", "linear_fc2", "c_proj", "fc2", "dense_4h_to_h");
    }

    private void mixture(int layer) {
        double router =
                (double) card.shape().hiddenSize() * card.experts().numExperts().orElse(0);
        modules.add(new Module(
                layer, LayerGroup.SHARED_EXPERTS, FEED, List.of("gate", "router", "router.proj"), router, true));
        double shared = ModelSize.matrices(card, card.experts().sharedFfnDim().orElse(0));
        if (shared > 0) {
            feed(layer, LayerGroup.SHARED_EXPERTS, hasDenseBeside ? FEED : SHARED, shared);
        }
        double latent =
                2.0 * card.experts().moeHiddenSize().orElse(0) * card.shape().hiddenSize();
        if (latent > 0) {
            add(
                    layer,
                    LayerGroup.SHARED_EXPERTS,
                    FEED,
                    latent,
                    "fc1_latent_proj",
                    "fc2_latent_proj",
                    "latent_proj",
                    "routed_expert_down_proj");
        }
        double routed =
                (double) ModelSize.expert(card) * card.experts().numExperts().orElse(0);
        feed(layer, LayerGroup.EXPERTS, hasDenseBeside ? BESIDE : ROUTED, routed);
    }
}
