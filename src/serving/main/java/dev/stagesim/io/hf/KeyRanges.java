package dev.stagesim.io.hf;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks the integers in a config.json. A value outside its range is an error in the file. */
final class KeyRanges {
    private static final Map<String, Range> RANGES = new HashMap<>();

    /** A range; {@code isWithinLayers} limits layer indices and layer counts by the number of layers. */
    record Range(long min, long max, boolean isWithinLayers) {}

    static {
        for (IntegerKey key : IntegerKey.values()) {
            key.spellings().forEach(name -> RANGES.put(name, key.range()));
        }
        // keys with several types, and keys of nested sections
        int layers = IntegerKey.MAX_LAYERS;
        add(1, layers, "sliding_window_pattern _sliding_window_pattern");
        add(0, layers, "moe_layer_freq");
        for (String list : List.of("attn_layer_indices", "full_attn_idxs", "full_attention_layers", "moe_layers")) {
            RANGES.put(list, new Range(0, layers, true));
        }
        RANGES.put("full_attn_layers", new Range(0, layers, true));
        RANGES.put("mlp_only_layers", new Range(0, layers, true));
        add(1, 1_000_000, "conv_dim sparse_topk_blocks sparse_block_size");
        add(1, 100_000, "sparse_index_dim linear_head_dim conv_L_cache n_heads_in_group linear_num_heads");
        add(1, 100_000, "sparse_num_index_heads");
        add(1, 1_000_000_000, "window_length original_max_position_embeddings");
        // the context of scaled rotary positions over the original context
        add(1, 100_000, "factor");
        add(0, 1_000_000, "compress_ratios");
        add(0, 1, "no_rope_layers hybrid_layer_pattern sparse_attention_freq sparse_disable_index_value");
    }

    private KeyRanges() {}

    private static void add(long min, long max, String names) {
        for (String name : names.split(" ", 0)) {
            RANGES.put(name, new Range(min, max, false));
        }
    }

    /**
     * Reports integers of another type, and all numbers outside their range. Sections of towers and quantization are not
     * checked.
     */
    static void check(LocatedJson section, List<Problem> problems) {
        for (IntegerKey key : IntegerKey.values()) {
            key.spellings().stream()
                    .flatMap(name -> section.find(name).stream())
                    .filter(at -> !(at.value() instanceof JsonValue.Int || isDerived(key, at.value())))
                    .forEach(at -> problems.addAll(at.expected("an integer").problems()));
        }
        long layers = IntegerKey.LAYERS.spellings().stream()
                .flatMap(name -> section.find(name).stream())
                .filter(at -> at.value() instanceof JsonValue.Int)
                .mapToLong(LocatedJson::asLong)
                .findFirst()
                .orElse(IntegerKey.MAX_LAYERS);
        section.members().forEach((key, value) -> check(key, value, layers, problems));
    }

    /** True for the rank of Mamba's time step if it follows from the hidden size. */
    private static boolean isDerived(IntegerKey key, JsonValue value) {
        return key == IntegerKey.MAMBA_RANK && value.equals(new JsonValue.Str("auto"));
    }

    private static void check(String key, LocatedJson value, long layers, List<Problem> problems) {
        if (value.isObject() && !Towers.isTower(key) && !key.startsWith("quantization")) {
            value.members().forEach((name, inner) -> check(name, inner, layers, problems));
        } else if (value.isArray()) {
            value.items().forEach(item -> check(key, item, layers, problems));
        } else if (RANGES.containsKey(key) && value.isNumber()) {
            Range range = RANGES.get(key);
            long max = range.isWithinLayers && layers > 0 ? Math.min(layers, range.max) : range.max;
            double number = value.asDouble();
            if (number < range.min || number > max) {
                problems.add(value.problem(key + " is " + Json.compact(value.value()) + ", expected " + range.min
                        + " to " + max + (max < range.max ? " (the number of layers)" : "")));
            }
        }
    }
}
