package dev.stagesim.io.hf;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds keys of a config.json that contradict each other or the family. */
final class Contradictions {
    /** An architecture that generates text: the name of a family, and a suffix. */
    private static final Pattern GENERATES =
            Pattern.compile("(\\w+?)(ForCausalLM|LMHeadModel|ForConditionalGeneration)\\w*");

    /** Families that use the code of another family. */
    private static final Map<String, String> SAME_CODE =
            Map.of("kimi_k2", "deepseekv3", "kimi_k25", "deepseekv3", "deepseek_ref", "deepseekv4");

    /** Code for layers that no supported family has. */
    private static final Set<String> OTHER_CODE = Set.of(
            "mamba mamba2 falconmamba falconh1 rwkv rwkv7 recurrentgemma zamba zamba2 xlstm plamo2 t5gemma blt retnet"
                    .split(" ", 0));

    private static final Set<String> PLAIN_FAMILIES = Set.of(
            "llama qwen2 qwen3 mistral phi phi3 gemma gemma2 gemma3 gemma3_text gpt2 gpt_bigcode gpt_neox gptj falcon opt bloom mpt olmo olmo2 cohere cohere2 starcoder2 smollm3 glm glm4"
                    .split(" ", 0));

    /** Families without a window. */
    private static final Set<String> WHOLE_CONTEXT =
            Set.of("llama gemma gpt2 gpt_bigcode gpt_neox gptj falcon opt bloom mpt olmo olmo2 cohere phi glm glm4"
                    .split(" ", 0));

    private static final List<String> NOT_PLAIN = List.of(
            "num_local_experts", "num_experts", "n_routed_experts", "kv_lora_rank", "index_topk", "ssm_state_size");

    private static final List<String> WINDOWS = List.of("sliding_window", "attention_chunk_size");

    private static final List<String> OUTER = List.of(
            "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "intermediate_size");

    private final LocatedJson root;
    private final LocatedJson text;
    private final Family family;
    private final List<String> limitations = new ArrayList<>();

    Contradictions(LocatedJson root, LocatedJson text, Family family) {
        this.root = root;
        this.text = text;
        this.family = family;
    }

    /** Reports models that are not decoders alone. */
    static void refuseEncoders(LocatedJson root, LocatedJson text, List<Problem> problems) {
        for (LocatedJson section : isNested(root, text) ? List.of(root, text) : List.of(root)) {
            for (String key : List.of("is_encoder_decoder", "add_cross_attention")) {
                section.find(key)
                        .filter(at -> section.flag(key))
                        .ifPresent(at ->
                                problems.add(at.problem(key + " is true: the model has an encoder or cross attention")
                                        .note("expected", "a decoder-only model")));
            }
        }
    }

    /** Returns sentences about contradictions; empty if there are none. */
    List<String> limitations() {
        architectures(root);
        if (isNested(root, text)) {
            architectures(text);
            OUTER.forEach(this::outer);
        }
        if (PLAIN_FAMILIES.contains(family.name())) {
            NOT_PLAIN.forEach(this::foreign);
        }
        if (WHOLE_CONTEXT.contains(family.name()) && !isOff("use_sliding_window")) {
            WINDOWS.forEach(this::foreign);
        }
        types();
        return limitations;
    }

    private static boolean isNested(LocatedJson root, LocatedJson text) {
        return !text.pointer().equals(root.pointer());
    }

    private boolean isOff(String key) {
        return text.has(key) && !text.flag(key);
    }

    private void architectures(LocatedJson section) {
        String type = section.text("model_type", "");
        Set<String> families =
                Family.known().keySet().stream().map(Contradictions::plain).collect(Collectors.toSet());
        for (String name :
                section.find("architectures").map(LocatedJson::asStrings).orElse(List.of())) {
            Matcher generates = GENERATES.matcher(name);
            if (!generates.matches()) {
                limitations.add("architectures names " + name
                        + ", which does not generate text; it is computed as a decoder with an output head");
                continue;
            }
            String stem = plain(generates.group(1));
            boolean isOther = Family.known().containsKey(type)
                    && (families.contains(stem) || OTHER_CODE.contains(stem))
                    && !plain(type).startsWith(stem)
                    && !stem.equals(SAME_CODE.get(type));
            if (isOther) {
                limitations.add("architectures names " + name + ", but model_type is " + type
                        + "; engines can choose the code by architectures, the card follows model_type");
            }
        }
    }

    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    private void outer(String key) {
        Optional<LocatedJson> outer = root.find(key);
        Optional<LocatedJson> inner = text.find(key);
        if (outer.isPresent() && inner.isPresent() && !same(outer.get(), inner.get())) {
            limitations.add(key + " is " + Json.compact(outer.get().value()) + " at the top, but "
                    + Json.compact(inner.get().value()) + " in the text part, which the card follows");
        }
    }

    private static boolean same(LocatedJson left, LocatedJson right) {
        return Json.compact(left.value()).equals(Json.compact(right.value()));
    }

    private void foreign(String key) {
        text.find(key)
                .filter(at -> at.isNumber() && at.asDouble() > 0)
                .ifPresent(at -> limitations.add(key + " "
                        + Json.compact(at.value()) + " is not a key of the family " + family.name()
                        + "; the card follows the key, engines can ignore it"));
    }

    /** Compares the two spellings of the data type, and names the type of 32 bits. */
    private void types() {
        LocatedJson section = text.has("dtype") || text.has("torch_dtype") ? text : root;
        Optional<String> type = type(section, "dtype");
        Optional<String> former = type(section, "torch_dtype");
        if (type.isPresent() && former.isPresent() && !type.equals(former)) {
            limitations.add("dtype is " + type.get() + ", but torch_dtype is " + former.get()
                    + "; unquantized weights are computed with 16 bits");
        } else {
            type.or(() -> former)
                    .filter(Set.of("float32", "float")::contains)
                    .ifPresent(name -> limitations.add(
                            "the data type is " + name + "; unquantized weights are computed with 16 bits"));
        }
    }

    private static Optional<String> type(LocatedJson section, String key) {
        return section.find(key)
                .filter(at -> at.value() instanceof JsonValue.Str)
                .map(at -> at.asString().replace("torch.", "").toLowerCase(Locale.ROOT));
    }
}
