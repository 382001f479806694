package dev.stagesim.io.hf;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.model.Confidence;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Precision;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
        return new ModelConfig(Json.parse(json, file.toString())).card(name, String.valueOf(file.getFileName()));
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
        StageException.refuse(missing);
        Frame frame = new Frame(
                hidden,
                layers,
                heads,
                number("num_key_value_heads", "num_kv_heads").orElse(flag("multi_query", false) ? 1 : heads),
                number("kv_lora_rank").isPresent(),
                vocabulary,
                experts,
                sizes(hidden, experts.isPresent()),
                hybrid(layers),
                number("sliding_window", "attention_chunk_size").filter(n -> flag("use_sliding_window", true)));
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
        return new ModelCard(
                name,
                family,
                attention(frame.isLatent(), frame.heads(), frame.kv()),
                frame.hidden(),
                frame.layers(),
                frame.heads(),
                frame.isLatent() ? frame.heads() : frame.kv(),
                width(frame),
                frame.sizes().dense(),
                PLAIN.contains(family) ? 2 : 3,
                !isParallel(),
                NORMALISED.contains(family) || flag("use_qk_norm", false),
                frame.vocabulary(),
                frame.experts(),
                frame.experts().flatMap(n -> number("num_experts_per_tok", "moe_topk")),
                frame.experts().map(n -> frame.sizes().expert()),
                frame.shared().map(n -> 1),
                frame.shared(),
                frame.experts().map(n -> number("first_k_dense_replace").orElse(0)),
                frame.experts().map(n -> moeStep()),
                frame.ifLatent(Optional.of(number("q_lora_rank").orElse(0))),
                number("kv_lora_rank"),
                frame.ifLatent(number("qk_nope_head_dim")),
                frame.ifLatent(number("qk_rope_head_dim")),
                frame.ifLatent(number("v_head_dim")),
                frame.window().filter(n -> n > 0),
                frame.window().isPresent() ? pattern() : Optional.empty(),
                frame.hybrid().attention(),
                frame.hybrid().feedForward(),
                frame.hybrid().state(),
                frame.hybrid().dim(),
                frame.hybrid().size(),
                frame.hybrid().groups(),
                weights(),
                frame.experts().isPresent() ? expertWeights() : Optional.empty(),
                Precision.BF16,
                longestContext(),
                isTied(),
                billions,
                Confidence.HIGH,
                file + " of " + name,
                Optional.empty());
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
