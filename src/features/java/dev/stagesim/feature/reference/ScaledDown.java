package dev.stagesim.feature.reference;

import dev.stagesim.model.ModelCard;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The rules by which a card is made small enough for the engine; {@code specs/reference-engine.md} has them.
 *
 * <p>Kept: how many query heads share a key and value head (to the next lower power of two), the ratio of inner to outer
 * width, gates, norms, tied embeddings. Lost: experts, windows, latent attention.
 */
public final class ScaledDown {
    private static final int HIDDEN = 256;
    private static final int LAYERS = 4;
    private static final int HEAD = 32;
    private static final int VOCAB = 4096;
    private static final int POSITIONS = 1024;
    private static final int TILE = 32;
    private static final String NULL = "=null";

    private ScaledDown() {}

    /** Overrides that scale a card down, in the order of its keys; those that change nothing are left out. */
    public static List<String> overrides(ModelCard card) {
        List<String> out = new ArrayList<>();
        int hidden = Math.min(HIDDEN, card.hiddenSize());
        int heads = Math.max(1, hidden / HEAD);
        int group = card.isLatentAttention() ? 1 : card.numHeads() / card.numKvHeads();
        out.add("model.name=" + card.name() + "-scaled");
        if (card.isLatentAttention()) {
            out.add("model.attention=mha");
        }
        put(out, "hidden_size", card.hiddenSize(), hidden);
        put(out, "num_layers", card.numLayers(), Math.min(LAYERS, card.numLayers()));
        put(out, "num_heads", card.numHeads(), heads);
        put(out, "num_kv_heads", card.numKvHeads(), Math.max(1, heads / Integer.highestOneBit(group)));
        put(out, "head_dim", card.headDim(), HEAD);
        put(out, "ffn_dim", card.ffnDim(), inner(card, hidden));
        put(out, "vocab_size", card.vocabSize(), Math.min(VOCAB, card.vocabSize()));
        gone(out, "num_experts", card.numExperts());
        gone(out, "experts_per_token", card.expertsPerToken());
        gone(out, "moe_ffn_dim", card.moeFfnDim());
        gone(out, "shared_experts", card.sharedExperts());
        gone(out, "shared_ffn_dim", card.sharedFfnDim());
        gone(out, "first_dense_layers", card.firstDenseLayers());
        gone(out, "moe_layer_step", card.moeLayerStep());
        gone(out, "q_lora_rank", card.qLoraRank());
        gone(out, "kv_lora_rank", card.kvLoraRank());
        gone(out, "qk_nope_dim", card.qkNopeDim());
        gone(out, "qk_rope_dim", card.qkRopeDim());
        gone(out, "v_head_dim", card.vHeadDim());
        gone(out, "sliding_window", card.slidingWindow());
        gone(out, "swa_pattern", card.swaPattern());
        gone(out, "attention_layers", card.attentionLayers());
        gone(out, "ffn_layers", card.ffnLayers());
        gone(out, "state_layers", card.stateLayers());
        gone(out, "state_dim", card.stateDim());
        gone(out, "state_size", card.stateSize());
        gone(out, "state_group_dim", card.stateGroupDim());
        put(out, "max_position", card.maxPosition(), Math.min(POSITIONS, card.maxPosition()));
        return out;
    }

    /** As wide, against the residual stream, as the columns that a token of the card uses. */
    private static int inner(ModelCard card, int hidden) {
        int routed = card.moeFfnDim().orElse(0) * card.expertsPerToken().orElse(0);
        int used = card.isMixtureOfExperts() ? routed + card.sharedFfnDim().orElse(0) : card.ffnDim();
        return Math.max(1, Math.round((float) used * hidden / card.hiddenSize() / TILE)) * TILE;
    }

    private static void put(List<String> out, String key, int value, int scaled) {
        if (value != scaled) {
            out.add("model." + key + "=" + scaled);
        }
    }

    private static void gone(List<String> out, String key, Optional<?> value) {
        if (value.isPresent()) {
            out.add("model." + key + NULL);
        }
    }
}
