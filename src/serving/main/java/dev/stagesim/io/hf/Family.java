package dev.stagesim.io.hf;

import dev.stagesim.io.json.LocatedJson;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A family of models by its {@code model_type}, with properties that its code defines and config.json does not state.
 *
 * @param name {@code model_type}
 * @param isKnown true if the reader supports it; for supported families, the sizes were compared with the reference
 *     implementation
 */
record Family(String name, boolean isKnown, Set<Trait> traits) {
    /** Properties that the code of a family defines. */
    enum Trait {
        PLAIN, // Feed-forward parts have no gate.
        TIED, // The output head is the embedding unless the file states otherwise.
        QK_NORM, // Queries and keys are normalised.
        PARALLEL, // Attention and feed-forward part share one norm.
        FOUR_TIMES, // The feed-forward width is four times the hidden size unless the file states it.
        GATED_ATTENTION, // Queries have a gate of the same size.
        POSITIONS, // Positions have learned embeddings.
        ALTERNATE, // Every second layer has a window.
        FIVE_TO_ONE, // Five layers with a window precede one without.
        STATES, // Layers that no list names have a recurrent state.
        DENSE_BESIDE, // Layers with experts also have a dense feed-forward part.
        SHARED_ONE // Every layer with experts has one shared expert.
    }

    private static final int LOCAL_LAYERS = 5;

    private static final Map<String, Family> KNOWN = new TreeMap<>();

    static {
        // dense
        add("llama qwen2 mistral ministral3 internlm3 helium hyperclovax");
        add("mimo cwm seed_oss smollm3 granite glm glm4 ernie4_5 iquestcoder");
        add("phi3");
        add("qwen3 qwen3_vl qwen3_vl_text olmo2 olmo3 flex_olmo exaone4 exaone_moe", Trait.QK_NORM);
        add("olmo");
        add("cohere", Trait.TIED, Trait.PARALLEL);
        add("cohere2", Trait.TIED, Trait.PARALLEL);
        add("vaultgemma", Trait.TIED, Trait.ALTERNATE);
        add("nemotron", Trait.PLAIN);
        add("falcon", Trait.PLAIN, Trait.TIED, Trait.FOUR_TIMES, Trait.PARALLEL);
        add("gptj codegen", Trait.PLAIN, Trait.PARALLEL, Trait.FOUR_TIMES);
        add("phi", Trait.PLAIN, Trait.PARALLEL);
        add("gpt_neox persimmon", Trait.PLAIN);
        add("starcoder2", Trait.PLAIN, Trait.TIED);
        add("gpt2 gpt_bigcode", Trait.PLAIN, Trait.TIED, Trait.FOUR_TIMES, Trait.POSITIONS);
        add("bloom mpt", Trait.PLAIN, Trait.TIED, Trait.FOUR_TIMES);
        add("opt", Trait.PLAIN, Trait.TIED, Trait.POSITIONS);
        add("gemma", Trait.TIED);
        add("gemma2", Trait.TIED, Trait.ALTERNATE);
        add("gemma3 gemma3_text", Trait.TIED, Trait.QK_NORM, Trait.FIVE_TO_ONE);
        add("nemotron-nas");
        // experts
        add("mixtral minimax_m2 gpt_oss mimo_v2_flash granitemoe granitemoeshared ernie4_5_moe step3p7 hunyuan_v1_moe");
        add("qwen2_moe phimoe lfm2_moe dots1 minimax solar_open sarvam_moe sarvam_mla youtu exaone stablelm");
        add("qwen3_moe qwen3_vl_moe qwen3_vl_moe_text olmoe glm4_moe", Trait.QK_NORM);
        add("llama4 llama4_text", Trait.SHARED_ONE);
        add("gemma4 gemma4_text", Trait.TIED, Trait.QK_NORM, Trait.DENSE_BESIDE, Trait.FIVE_TO_ONE);
        // latent attention
        add("deepseek_v2 deepseek_v3 kimi_k2 kimi_k25 minicpm3 glm4_moe_lite");
        add("deepseek_v32 glm_moe_dsa minimax_m3 minimax_m3_vl minimax_m3_vl_text deepseek_v4 deepseek_ref");
        // states
        add("qwen3_next qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text", Trait.QK_NORM, Trait.GATED_ATTENTION);
        add("nemotron_h", Trait.PLAIN, Trait.PARALLEL);
        add("kimi_linear kimi_k3 lfm2 granitemoehybrid jamba");
        add("bamba", Trait.STATES);
    }

    private static void add(String names, Trait... traits) {
        for (String name : names.split(" ", 0)) {
            Set<Trait> set = EnumSet.noneOf(Trait.class);
            set.addAll(List.of(traits));
            KNOWN.put(name, new Family(name, true, set));
        }
    }

    /** Returns supported families with recurrent layers. */
    static List<String> recurrent() {
        return List.of("bamba", "granitemoehybrid", "jamba", "kimi_linear", "lfm2", "nemotron_h", "qwen3_next");
    }

    /** Returns the supported families by name. */
    static Map<String, Family> known() {
        return Map.copyOf(KNOWN);
    }

    /** Returns the family of a config.json: the family of its text part, or of the whole model. */
    static Family of(LocatedJson root, LocatedJson text) {
        Optional<String> inner = text.find("model_type").map(LocatedJson::asString);
        Optional<String> outer = root.find("model_type").map(LocatedJson::asString);
        String name = inner.or(() -> outer).orElse("");
        Family known = KNOWN.get(name);
        if (known == null) {
            known = outer.map(KNOWN::get).orElse(null);
        }
        return known != null ? known : new Family(name.toLowerCase(Locale.ROOT), false, Set.of());
    }

    boolean has(Trait trait) {
        return traits.contains(trait);
    }

    /** Returns the period of layers without a window, or 0 if the family does not define one. */
    int windowPeriod() {
        if (has(Trait.ALTERNATE)) {
            return 2;
        }
        return has(Trait.FIVE_TO_ONE) ? LOCAL_LAYERS + 1 : 0;
    }
}
