package dev.stagesim.feature.reference;

import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.TransformerShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Scales a model card down to the size of the reference engine, by the rules in {@code specs/reference-engine.md}.
 *
 * <p>Preserved: the number of query heads per key and value head (rounded down to a power of two), the ratio of inner to outer
 * width, gates, norms, tied embeddings. Removed: experts, windows, latent attention.
 */
public final class CardScaling {
    private static final int MAX_HIDDEN = 256;
    private static final int MAX_LAYERS = 4;
    private static final int HEAD_DIM = 32;
    private static final int MAX_VOCAB = 4096;
    private static final int MAX_POSITIONS = 1024;
    private static final int TILE = 32;
    private static final String NULL = "=null";

    private CardScaling() {}

    /** Returns the overrides that scale a card down, in the order of its keys, without overrides that change nothing. */
    public static List<String> overrides(ModelCard card) {
        List<String> out = new ArrayList<>();
        TransformerShape shape = card.shape();
        int hidden = Math.min(MAX_HIDDEN, shape.hiddenSize());
        int heads = Math.max(1, hidden / HEAD_DIM);
        int group = card.isLatentAttention() ? 1 : shape.numHeads() / shape.numKvHeads();
        out.add("model.name=" + card.name() + "-scaled");
        if (card.isLatentAttention()) {
            out.add("model.attention=mha");
        }
        put(out, "hidden_size", shape.hiddenSize(), hidden);
        put(out, "num_layers", shape.numLayers(), Math.min(MAX_LAYERS, shape.numLayers()));
        put(out, "num_heads", shape.numHeads(), heads);
        put(out, "num_kv_heads", shape.numKvHeads(), Math.max(1, heads / Integer.highestOneBit(group)));
        put(out, "head_dim", shape.headDim(), HEAD_DIM);
        put(out, "ffn_dim", shape.ffnDim(), inner(card, hidden));
        put(out, "vocab_size", shape.vocabSize(), Math.min(MAX_VOCAB, shape.vocabSize()));
        putNull(out, "num_experts", card.experts().numExperts());
        putNull(out, "experts_per_token", card.experts().expertsPerToken());
        putNull(out, "moe_ffn_dim", card.experts().moeFfnDim());
        putNull(out, "shared_experts", card.experts().sharedExperts());
        putNull(out, "shared_ffn_dim", card.experts().sharedFfnDim());
        putNull(out, "first_dense_layers", card.experts().firstDenseLayers());
        putNull(out, "moe_layer_step", card.experts().moeLayerStep());
        putNull(out, "q_lora_rank", card.latent().qLoraRank());
        putNull(out, "kv_lora_rank", card.latent().kvLoraRank());
        putNull(out, "qk_nope_dim", card.latent().qkNopeDim());
        putNull(out, "qk_rope_dim", card.latent().qkRopeDim());
        putNull(out, "v_head_dim", card.latent().vHeadDim());
        putNull(out, "sliding_window", card.window().slidingWindow());
        putNull(out, "swa_pattern", card.window().swaPattern());
        putNull(out, "attention_layers", card.hybrid().attentionLayers());
        putNull(out, "ffn_layers", card.hybrid().ffnLayers());
        putNull(out, "state_layers", card.hybrid().stateLayers());
        putNull(out, "state_dim", card.hybrid().stateDim());
        putNull(out, "state_size", card.hybrid().stateSize());
        putNull(out, "state_group_dim", card.hybrid().stateGroupDim());
        put(out, "max_position", card.maxPosition(), Math.min(MAX_POSITIONS, card.maxPosition()));
        return out;
    }

    /** Returns the inner width, scaled from the inner width that is active for a token of the card. */
    private static int inner(ModelCard card, int hidden) {
        int routed = card.experts().moeFfnDim().orElse(0)
                * card.experts().expertsPerToken().orElse(0);
        int used = card.isMixtureOfExperts()
                ? routed + card.experts().sharedFfnDim().orElse(0)
                : card.shape().ffnDim();
        return Math.max(1, Math.round((float) used * hidden / card.shape().hiddenSize() / TILE)) * TILE;
    }

    private static void put(List<String> out, String key, int value, int scaled) {
        if (value != scaled) {
            out.add("model." + key + "=" + scaled);
        }
    }

    private static void putNull(List<String> out, String key, Optional<?> value) {
        if (value.isPresent()) {
            out.add("model." + key + NULL);
        }
    }
}
