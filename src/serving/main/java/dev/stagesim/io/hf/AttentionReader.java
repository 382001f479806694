package dev.stagesim.io.hf;

import dev.stagesim.io.hf.Family.Trait;
import dev.stagesim.io.hf.LayerPlan.Mixer;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.card.ModelCard.Attention;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the attention heads and the layers with a window. */
final class AttentionReader {
    private final LocatedJson text;
    private final Family family;
    private final List<LayerPlan> layers;
    private final int hidden;
    private final List<Problem> problems;
    private final ConfigKeys.Heads keys;
    private final ConfigKeys.Latent latent;
    private final ConfigKeys.OtherHeads other;
    private final List<String> limitations = new ArrayList<>();
    private final int heads;
    private final int kvHeads;

    AttentionReader(LocatedJson text, Family family, List<LayerPlan> layers, int hidden, List<Problem> problems) {
        this.text = text;
        this.family = family;
        this.layers = layers;
        this.hidden = hidden;
        this.problems = problems;
        keys = JsonBinder.FOREIGN.bind(text, ConfigKeys.Heads.class);
        latent = JsonBinder.FOREIGN.bind(text, ConfigKeys.Latent.class);
        other = JsonBinder.FOREIGN.bind(text, ConfigKeys.OtherHeads.class);
        boolean hasAttention = layers.isEmpty()
                || layers.stream().anyMatch(layer -> layer.mixer().isAttention());
        if (hasAttention && keys.queries().isEmpty()) {
            problems.add(text.problem("num_attention_heads is missing")
                    .options(List.of("num_attention_heads", "n_head", "num_heads", "n_heads"))
                    .hint("a card needs it; add it to the file"));
        }
        heads = keys.queries().orElse(1);
        kvHeads = kvHeads();
        if (isLatent()) {
            required(latent.qkNopeHeadDim(), "qk_nope_head_dim");
            required(latent.qkRopeHeadDim(), "qk_rope_head_dim");
            required(keys.vHeadDim(), "v_head_dim");
        } else if (latent.qkNopeHeadDim().isPresent() && !isCompressed()) {
            required(latent.kvLoraRank(), "kv_lora_rank");
        } else if (keys.width().isEmpty() && hidden % heads != 0) {
            problems.add(text.problem("hidden size " + hidden + " is not a multiple of num_attention_heads " + heads)
                    .hint("state head_dim"));
        }
        if (!isLatent() && heads % kvHeads != 0) {
            problems.add(text.problem(
                    "num_attention_heads " + heads + " is not a multiple of num_key_value_heads " + kvHeads));
        }
    }

    private void required(Optional<Integer> found, String key) {
        if (found.isEmpty()) {
            problems.add(text.problem(key + " is missing").hint("latent attention needs it; add it to the file"));
        }
    }

    private boolean isCompressed() {
        return text.has("compress_ratios") || text.has("compress_rates");
    }

    private boolean isLatent() {
        return latent.kvLoraRank().isPresent();
    }

    private int kvHeads() {
        if (isLatent()) {
            return heads;
        }
        int stated = layers.stream().mapToInt(LayerPlan::kvHeads).max().orElse(0);
        if (stated > 0) {
            return stated;
        }
        boolean isNew =
                text.find("new_decoder_architecture").map(LocatedJson::asBool).orElse(false);
        if (keys.multiQuery().orElse(false) && !isNew) {
            return 1;
        }
        return hasOwnFullShape() ? other.numGlobalKeyValueHeads().orElse(baseKvHeads()) : baseKvHeads();
    }

    private int baseKvHeads() {
        return keys.keys().orElse(heads);
    }

    /** True if full layers have their own head shape; the plain keys then describe windowed layers. */
    private boolean hasOwnFullShape() {
        return other.globalHeadDim().isPresent() && count(Mixer.FULL) > 0;
    }

    private int width() {
        if (isLatent()) {
            return latent.qkNopeHeadDim().orElse(0) + latent.qkRopeHeadDim().orElse(0);
        }
        return Math.max(1, keys.width().orElse(hidden / heads));
    }

    private long count(Mixer mixer) {
        return layers.stream().filter(layer -> layer.mixer() == mixer).count();
    }

    List<String> limitations() {
        return limitations;
    }

    Map<String, Object> components(Optional<Integer> window) {
        Map<String, Object> components = new HashMap<>();
        int full = hasOwnFullShape() ? other.globalHeadDim().orElseThrow() : width();
        components.put("attention", kind());
        components.put("numHeads", heads);
        components.put("numKvHeads", kvHeads);
        components.put("headDim", full);
        components.put("qkNorm", family.has(Trait.QK_NORM) || isNormalised());
        if (isLatent()) {
            components.put("qLoraRank", Optional.of(latent.qLoraRank().orElse(0)));
            components.put("kvLoraRank", latent.kvLoraRank());
            components.put("qkNopeDim", latent.qkNopeHeadDim());
            components.put("qkRopeDim", latent.qkRopeHeadDim());
        }
        components.put("vHeadDim", keys.vHeadDim().filter(size -> size != full || isLatent()));
        windows(window, components);
        if (hasOwnFullShape()) {
            components.put("windowHeadDim", Optional.of(width()));
            components.put("windowNumKvHeads", Optional.of(baseKvHeads()));
        }
        attentionParams(full).ifPresent(weights -> components.put("attentionParams", Optional.of(weights)));
        unequalHeads(full, components);
        return components;
    }

    private boolean isNormalised() {
        return text.find("use_qk_norm")
                .or(() -> text.find("qk_norm"))
                .map(LocatedJson::asBool)
                .orElse(false);
    }

    private Attention kind() {
        if (isLatent()) {
            return Attention.MLA;
        }
        return kvHeads == heads ? Attention.MHA : kvHeads == 1 ? Attention.MQA : Attention.GQA;
    }

    private void windows(Optional<Integer> window, Map<String, Object> components) {
        List<Boolean> windowed = layers.stream()
                .map(LayerPlan::mixer)
                .filter(Mixer::isAttention)
                .map(mixer -> mixer != Mixer.FULL)
                .toList();
        if (!windowed.contains(true)) {
            return;
        }
        boolean isChunk = count(Mixer.CHUNK) > 0;
        Optional<Integer> size = isChunk ? text.find("attention_chunk_size").map(LocatedJson::asInt) : window;
        if (size.isEmpty()) {
            limitations.add(
                    "some layers have a window of unknown size (no sliding_window); they are computed with the whole"
                            + " context");
            return;
        }
        components.put("slidingWindow", size);
        components.put("swaPattern", WindowPattern.name(windowed, isChunk));
        other.swaNumAttentionHeads()
                .filter(count -> count != heads)
                .ifPresent(count -> components.put("windowNumHeads", Optional.of(count)));
        other.swaNumKeyValueHeads()
                .filter(count -> count != kvHeads)
                .ifPresent(count -> components.put("windowNumKvHeads", Optional.of(count)));
        other.swaHeadDim()
                .filter(count -> count != width())
                .ifPresent(count -> components.put("windowHeadDim", Optional.of(count)));
    }

    /**
     * Returns the mean attention weights of a layer if queries have a gate, or if full layers use their keys as values.
     */
    private Optional<Long> attentionParams(int full) {
        if (family.has(Trait.GATED_ATTENTION) || text.flag("attn_output_gate")) {
            int value = keys.vHeadDim().orElse(full);
            return Optional.of(
                    (long) hidden * (2L * heads * full + (long) kvHeads * full + (long) (heads + kvHeads) * value));
        }
        if (hasOwnFullShape() && other.attentionKEqV().orElse(false)) {
            long fullLayers = count(Mixer.FULL);
            long windowed = count(Mixer.WINDOW);
            long fullWeights = (long) hidden * full * (2L * heads + kvHeads);
            long windowWeights = 2L * hidden * width() * (heads + baseKvHeads());
            return Optional.of((fullLayers * fullWeights + windowed * windowWeights) / (fullLayers + windowed));
        }
        return Optional.empty();
    }

    /** Sets weights and cache of the mean layer if layers have different numbers of key heads. */
    private void unequalHeads(int full, Map<String, Object> components) {
        int[] stated = layers.stream()
                .filter(layer -> layer.mixer().isAttention())
                .mapToInt(LayerPlan::kvHeads)
                .filter(count -> count > 0)
                .toArray();
        long sum = 0;
        boolean isSame = true;
        for (int count : stated) {
            sum += count;
            isSame &= count == kvHeads;
        }
        if (!isSame) {
            double mean = (double) sum / stated.length;
            components.put("attentionParams", Optional.of(Math.round(2.0 * hidden * full * (heads + mean))));
            components.put("kvValues", Optional.of((int) Math.round(2 * full * mean)));
        }
    }
}
