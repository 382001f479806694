package dev.stagesim.io.hf;

import dev.stagesim.io.hf.Family.Trait;
import dev.stagesim.io.hf.LayerPlan.Mixer;
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
    private final List<String> limitations = new ArrayList<>();
    private final int heads;
    private final int kvHeads;

    AttentionReader(LocatedJson text, Family family, List<LayerPlan> layers, int hidden, List<Problem> problems) {
        this.text = text;
        this.family = family;
        this.layers = layers;
        this.hidden = hidden;
        this.problems = problems;
        boolean hasAttention = layers.isEmpty()
                || layers.stream().anyMatch(layer -> layer.mixer().isAttention());
        heads = hasAttention
                ? IntegerKey.HEADS.required(text, problems, ModelConfig.REQUIRED)
                : IntegerKey.HEADS.in(text).orElse(1);
        kvHeads = kvHeads();
        if (isLatent()) {
            required(IntegerKey.QK_NOPE_DIM, IntegerKey.QK_ROPE_DIM, IntegerKey.V_HEAD_DIM);
        } else if (IntegerKey.QK_NOPE_DIM.in(text).isPresent() && !isCompressed()) {
            required(IntegerKey.KV_LORA_RANK);
        } else if (IntegerKey.HEAD_DIM.in(text).isEmpty() && hidden % heads != 0) {
            problems.add(text.problem("hidden size " + hidden + " is not a multiple of num_attention_heads " + heads)
                    .hint("state head_dim"));
        }
        if (!isLatent() && heads % kvHeads != 0) {
            problems.add(text.problem(
                    "num_attention_heads " + heads + " is not a multiple of num_key_value_heads " + kvHeads));
        }
    }

    private void required(IntegerKey... keys) {
        for (IntegerKey key : keys) {
            key.required(text, problems, "latent attention needs it; add it to the file");
        }
    }

    private boolean isCompressed() {
        return text.has("compress_ratios") || text.has("compress_rates");
    }

    private boolean isLatent() {
        return IntegerKey.KV_LORA_RANK.in(text).isPresent();
    }

    private int kvHeads() {
        if (isLatent()) {
            return heads;
        }
        int stated = layers.stream().mapToInt(LayerPlan::kvHeads).max().orElse(0);
        if (stated > 0) {
            return stated;
        }
        if (text.flag("multi_query") && !text.flag("new_decoder_architecture")) {
            return 1;
        }
        return hasOwnFullShape() ? IntegerKey.GLOBAL_KV_HEADS.in(text).orElse(baseKvHeads()) : baseKvHeads();
    }

    private int baseKvHeads() {
        return IntegerKey.KV_HEADS.in(text).orElse(heads);
    }

    /** True if full layers have their own head shape; the plain keys then describe windowed layers. */
    private boolean hasOwnFullShape() {
        return IntegerKey.GLOBAL_HEAD_DIM.in(text).isPresent() && count(Mixer.FULL) > 0;
    }

    private int width() {
        if (isLatent()) {
            return IntegerKey.QK_NOPE_DIM.in(text).orElse(0)
                    + IntegerKey.QK_ROPE_DIM.in(text).orElse(0);
        }
        return Math.max(1, IntegerKey.HEAD_DIM.in(text).orElse(hidden / heads));
    }

    private long count(Mixer mixer) {
        return layers.stream().filter(layer -> layer.mixer() == mixer).count();
    }

    List<String> limitations() {
        return limitations;
    }

    Map<String, Object> components(Optional<Integer> window) {
        Map<String, Object> components = new HashMap<>();
        int full = hasOwnFullShape() ? IntegerKey.GLOBAL_HEAD_DIM.in(text).orElseThrow() : width();
        components.put("attention", kind());
        components.put("numHeads", heads);
        components.put("numKvHeads", kvHeads);
        components.put("headDim", full);
        components.put("qkNorm", family.has(Trait.QK_NORM) || isNormalised());
        if (isLatent()) {
            components.put(
                    "qLoraRank", Optional.of(IntegerKey.Q_LORA_RANK.in(text).orElse(0)));
            components.put("kvLoraRank", IntegerKey.KV_LORA_RANK.in(text));
            components.put("qkNopeDim", IntegerKey.QK_NOPE_DIM.in(text));
            components.put("qkRopeDim", IntegerKey.QK_ROPE_DIM.in(text));
        }
        components.put("vHeadDim", IntegerKey.V_HEAD_DIM.in(text).filter(size -> size != full || isLatent()));
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
        Optional<Integer> size = isChunk ? IntegerKey.CHUNK.in(text) : window;
        if (size.isEmpty()) {
            limitations.add(
                    "some layers have a window of unknown size (no sliding_window); they are computed with the whole"
                            + " context");
            return;
        }
        components.put("slidingWindow", size);
        components.put("swaPattern", WindowPattern.name(windowed, isChunk));
        other(IntegerKey.WINDOW_HEADS, heads, "windowNumHeads", components);
        other(IntegerKey.WINDOW_KV_HEADS, kvHeads, "windowNumKvHeads", components);
        other(IntegerKey.WINDOW_HEAD_DIM, width(), "windowHeadDim", components);
    }

    /** Sets a component if windowed layers differ from the others. */
    private void other(IntegerKey key, int usual, String component, Map<String, Object> components) {
        key.in(text).filter(count -> count != usual).ifPresent(count -> components.put(component, Optional.of(count)));
    }

    /**
     * Returns the mean attention weights of a layer if queries have a gate, or if full layers use their keys as values.
     */
    private Optional<Long> attentionParams(int full) {
        if (family.has(Trait.GATED_ATTENTION) || text.flag("attn_output_gate")) {
            int value = IntegerKey.V_HEAD_DIM.in(text).orElse(full);
            return Optional.of(
                    (long) hidden * (2L * heads * full + (long) kvHeads * full + (long) (heads + kvHeads) * value));
        }
        if (hasOwnFullShape() && text.flag("attention_k_eq_v")) {
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
