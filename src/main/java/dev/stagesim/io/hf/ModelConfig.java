package dev.stagesim.io.hf;

import static java.util.Map.entry;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.model.Confidence;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Precision;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads {@code config.json} of a model: dense, mixture-of-experts, latent-attention, sliding-window and hybrid families.
 *
 * <p>What a file leaves out and its family fixes is derived; what is missing otherwise is reported at once.
 */
public final class ModelConfig {
    private static final double GIGA = 1e9;
    private static final int NO_LIMIT = 131_072;
    private static final Pattern UNBOUNDED = Pattern.compile("([\\[,:]\\s*)-?(Infinity|NaN)\\b");

    /** Families whose feed-forward part has no gate. */
    private static final Set<String> PLAIN =
            Set.of("falcon gptj bloom starcoder2 phi gpt2 gpt_neox opt gpt_bigcode nemotron nemotron_h".split(" ", 0));

    /** Families whose output head is the embedding unless they say otherwise. */
    private static final Set<String> TIED =
            Set.of("gemma", "gemma2", "gemma3", "gemma3_text", "gpt2", "bloom", "falcon", "opt", "starcoder2");

    /** Families that normalise queries and keys. */
    private static final Set<String> NORMALISED = Set.of(
            "qwen3", "qwen3_moe", "qwen3_next", "qwen3_5_moe", "qwen3_5_moe_text", "gemma3", "gemma3_text", "olmo2");

    private final JsonAt root;
    private final JsonAt text;
    private final String family;
    private final List<Problem> missing = new ArrayList<>();

    private ModelConfig(JsonAt root) {
        this.root = root;
        this.text = root.find("text_config").orElse(root);
        this.family = text.find("model_type")
                .or(() -> root.find("model_type"))
                .map(JsonAt::asString)
                .orElse("");
    }

    /**
     * Reads a file.
     *
     * @param name full name of the model
     */
    public static ModelCard read(Path file, String name) throws IOException {
        // files are written by Python, whose numbers without bounds are no JSON
        String json = UNBOUNDED.matcher(InputFile.text(file)).replaceAll("$1null");
        JsonAt root = Json.parse(json, file.toString());
        return new ModelConfig(root).card(name, String.valueOf(file.getFileName()));
    }

    /** The name of a model of which only the file is known: that of its folder. */
    public static String nameOf(Path file) {
        Path folder = file.toAbsolutePath().normalize().getParent();
        return folder == null || folder.getFileName() == null
                ? "model"
                : folder.getFileName().toString();
    }

    private Optional<JsonAt> value(String... names) {
        for (String name : names) {
            Optional<JsonAt> found = text.find(name).filter(at -> !at.isNull());
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Optional<Integer> number(String... names) {
        return value(names).map(JsonAt::asInt);
    }

    private int needed(String... names) {
        Optional<Integer> found = number(names);
        if (found.isEmpty()) {
            missing.add(text.problem(names[0] + " is missing")
                    .options(List.of(names))
                    .hint("a card needs it; add it to the file"));
        } else if (found.get() < 1) {
            missing.add(text.problem(names[0] + " is " + found.get() + ", expected at least 1"));
        }
        return found.orElse(1);
    }

    private boolean flag(String name, boolean otherwise) {
        return value(name).map(JsonAt::asBool).orElse(otherwise);
    }

    private ModelCard card(String name, String file) {
        int hidden = needed("hidden_size", "n_embd", "d_model");
        int layers = needed("num_hidden_layers", "n_layer", "num_layers");
        int heads = needed("num_attention_heads", "n_head", "num_heads");
        int vocabulary = needed("vocab_size");
        Optional<Integer> experts =
                number("num_local_experts", "num_experts", "n_routed_experts").filter(n -> n > 1);
        if (experts.isPresent()) {
            needed("num_experts_per_tok", "moe_topk");
        }
        int kv = number("num_key_value_heads", "num_kv_heads").orElse(flag("multi_query", false) ? 1 : heads);
        boolean isLatent = number("kv_lora_rank").isPresent();
        if (!isLatent && (kv < 1 || heads % kv != 0)) {
            missing.add(text.problem("num_attention_heads " + heads + " is no multiple of num_key_value_heads " + kv));
        }
        StageException.refuse(missing);
        Frame frame = new Frame(
                hidden,
                layers,
                heads,
                kv,
                isLatent,
                vocabulary,
                experts,
                sizes(hidden, experts.isPresent()),
                hybrid(layers),
                number("sliding_window", "attention_chunk_size").filter(n -> flag("use_sliding_window", true)));
        StageException.refuse(missing); // of a hybrid
        // publishers state what the dimensions make, near enough
        double parameters = card(name, file, frame, 1).size().parameters();
        return card(name, file, frame, Math.round(parameters / GIGA * 1e3) / 1e3);
    }

    /** What several figures of a card follow from. */
    private record Frame(
            int hidden,
            int layers,
            int heads,
            int kv,
            boolean isLatent,
            int vocabulary,
            Optional<Integer> experts,
            Sizes sizes,
            Hybrid hybrid,
            Optional<Integer> window) {
        Optional<Integer> shared() {
            return sizes.shared() > 0 ? Optional.of(sizes.shared()) : Optional.empty();
        }

        Optional<Integer> ifLatent(Optional<Integer> figure) {
            return isLatent ? figure : Optional.empty();
        }
    }

    private ModelCard card(String name, String file, Frame frame, double billions) {
        Map<String, Object> figures = new HashMap<>(dense(frame));
        figures.putAll(experts(frame));
        figures.putAll(layers(frame));
        figures.put("name", name);
        figures.put("advertisedParamsB", billions);
        figures.put("source", file + " of " + name);
        return KeyRecord.of(ModelCard.class, figures);
    }

    private Map<String, Object> dense(Frame frame) {
        return Map.ofEntries(
                entry("family", family),
                entry("attention", attention(frame.isLatent(), frame.heads(), frame.kv())),
                entry("hiddenSize", frame.hidden()),
                entry("numLayers", frame.layers()),
                entry("numHeads", frame.heads()),
                entry("numKvHeads", frame.isLatent() ? frame.heads() : frame.kv()),
                entry("headDim", width(frame)),
                entry("ffnDim", frame.sizes().dense()),
                entry("mlpMatrices", PLAIN.contains(family) ? 2 : 3),
                entry("postAttentionNorm", !isParallel()),
                entry("qkNorm", NORMALISED.contains(family) || flag("use_qk_norm", false)),
                entry("vocabSize", frame.vocabulary()),
                entry("weights", weights()),
                entry("maxPosition", longestContext()),
                entry("tieEmbeddings", isTied()),
                entry("confidence", Confidence.HIGH));
    }

    private Map<String, Object> experts(Frame frame) {
        return Map.ofEntries(
                entry("numExperts", frame.experts()),
                entry("expertsPerToken", frame.experts().flatMap(n -> number("num_experts_per_tok", "moe_topk"))),
                entry("moeFfnDim", frame.experts().map(n -> frame.sizes().expert())),
                entry("sharedExperts", frame.shared().map(n -> 1)),
                entry("sharedFfnDim", frame.shared()),
                entry("firstDenseLayers", frame.experts().map(n -> number("first_k_dense_replace")
                        .orElse(0))),
                entry("moeLayerStep", frame.experts().map(n -> moeStep())),
                entry("expertWeights", frame.experts().flatMap(n -> expertWeights())));
    }

    /** What layers other than plain ones have. */
    private Map<String, Object> layers(Frame frame) {
        return Map.ofEntries(
                entry(
                        "qLoraRank",
                        frame.ifLatent(Optional.of(number("q_lora_rank").orElse(0)))),
                entry("kvLoraRank", number("kv_lora_rank")),
                entry("qkNopeDim", frame.ifLatent(number("qk_nope_head_dim"))),
                entry("qkRopeDim", frame.ifLatent(number("qk_rope_head_dim"))),
                entry("vHeadDim", frame.ifLatent(number("v_head_dim"))),
                entry("slidingWindow", frame.window().filter(n -> n > 0)),
                entry("swaPattern", frame.window().flatMap(n -> pattern())),
                entry("attentionLayers", frame.hybrid().attention()),
                entry("ffnLayers", frame.hybrid().feedForward()),
                entry("stateLayers", frame.hybrid().state()),
                entry("stateDim", frame.hybrid().dim()),
                entry("stateSize", frame.hybrid().size()),
                entry("stateGroupDim", frame.hybrid().groups()));
    }

    private int width(Frame frame) {
        return frame.isLatent()
                ? number("qk_nope_head_dim").orElse(0)
                        + number("qk_rope_head_dim").orElse(0)
                : number("head_dim", "attention_head_dim").orElse(frame.hidden() / frame.heads());
    }

    private boolean isParallel() {
        return flag("parallel_attn", family.equals("gptj") || family.equals("phi") || family.equals("nemotron_h"));
    }

    private int moeStep() {
        return number("decoder_sparse_step", "interleave_moe_layer_step").orElse(1);
    }

    private int longestContext() {
        return number("max_position_embeddings", "n_positions", "max_sequence_length", "seq_length")
                .orElse(NO_LIMIT);
    }

    private boolean isTied() {
        return root.find("tie_word_embeddings")
                .filter(at -> !at.isNull())
                .or(() -> value("tie_word_embeddings"))
                .map(JsonAt::asBool)
                .orElse(TIED.contains(family));
    }

    private static ModelCard.Attention attention(boolean latent, int heads, int kv) {
        if (latent) {
            return ModelCard.Attention.MLA;
        }
        return kv == heads ? ModelCard.Attention.MHA : kv == 1 ? ModelCard.Attention.MQA : ModelCard.Attention.GQA;
    }

    /** Inner widths of the feed-forward parts. */
    private record Sizes(int dense, int expert, int shared) {}

    private Sizes sizes(int hidden, boolean mixture) {
        int plain = number("intermediate_size", "n_inner", "ffn_hidden_size").orElse(4 * hidden);
        int expert = number("moe_intermediate_size").orElse(plain);
        int dense = number("intermediate_size_mlp").orElse(plain);
        if (!mixture) {
            return new Sizes(dense, expert, 0);
        }
        int shared = number("shared_expert_intermediate_size", "shared_intermediate_size")
                .orElse(number("n_shared_experts").orElse(family.startsWith("llama4") ? 1 : 0) * expert);
        return new Sizes(dense, expert, shared);
    }

    /** Which layers are windowed, where a window is given. */
    private Optional<String> pattern() {
        if (number("attention_chunk_size").isPresent()) {
            return Optional.of("3 chunked:1 global");
        }
        List<String> kinds = value("layer_types").map(JsonAt::asStrings).orElse(List.of());
        long windowed = kinds.stream().filter("sliding_attention"::equals).count();
        int every = number("sliding_window_pattern").orElse(0);
        if (every == 6 || (!kinds.isEmpty() && windowed * 6 >= kinds.size() * 4L && windowed < kinds.size())) {
            return Optional.of("5 local:1 global");
        }
        boolean alternate = every == 2 || family.equals("gemma2") || windowed * 2 == kinds.size();
        return alternate && (every == 2 || family.equals("gemma2") || !kinds.isEmpty())
                ? Optional.of("alternate")
                : Optional.empty();
    }

    /** How many layers have attention, a feed-forward part, a recurrent state; and that state. */
    private record Hybrid(
            Optional<Integer> attention,
            Optional<Integer> feedForward,
            Optional<Integer> state,
            Optional<Integer> dim,
            Optional<Integer> size,
            Optional<Integer> groups) {}

    private Hybrid hybrid(int layers) {
        Optional<Integer> none = Optional.empty();
        Optional<String> letters = value("hybrid_override_pattern").map(JsonAt::asString);
        if (letters.isPresent()) {
            int heads = needed("mamba_num_heads");
            return new Hybrid(
                    Optional.of(count(letters.get(), '*')),
                    Optional.of(count(letters.get(), '-') + count(letters.get(), 'E')),
                    Optional.of(count(letters.get(), 'M')),
                    Optional.of(heads * needed("mamba_head_dim")),
                    number("ssm_state_size"),
                    Optional.of(2 * number("n_groups").orElse(1) * needed("ssm_state_size") + heads));
        }
        List<String> kinds = value("layer_types").map(JsonAt::asStrings).orElse(List.of());
        int linear = (int) kinds.stream().filter("linear_attention"::equals).count();
        if (linear == 0 || linear > layers) {
            return new Hybrid(none, none, none, none, none, none);
        }
        int values = needed("linear_num_value_heads");
        int keys = needed("linear_key_head_dim");
        return new Hybrid(
                none,
                none,
                Optional.of(linear),
                Optional.of(values * needed("linear_value_head_dim")),
                Optional.of(keys),
                Optional.of(2 * needed("linear_num_key_heads") * keys + 2 * values));
    }

    private static int count(String text, char letter) {
        return (int) text.chars().filter(c -> c == letter).count();
    }

    private Optional<JsonAt> quantisation() {
        return root.find("quantization_config")
                .or(() -> text.find("quantization_config"))
                .filter(at -> !at.isNull());
    }

    private Precision weights() {
        Optional<JsonAt> how = quantisation();
        if (how.isEmpty()) {
            return Precision.BF16;
        }
        String method = how.get().text("quant_method", "");
        String algorithm = how.get().text("quant_algo", "");
        if (algorithm.equals("NVFP4")) {
            return Precision.NVFP4;
        }
        if (method.equals("fp8") || algorithm.equals("FP8")) {
            return how.get().has("weight_block_size") ? Precision.FP8_BLOCK : Precision.FP8;
        }
        if (method.equals("awq") || method.equals("gptq")) {
            return Precision.INT4;
        }
        // what else there is keeps all but its experts
        return Precision.BF16;
    }

    private Optional<Precision> expertWeights() {
        return quantisation()
                .flatMap(how -> how.find("quant_method"))
                .map(JsonAt::asString)
                .filter("mxfp4"::equals)
                .map(method -> Precision.MXFP4);
    }
}
