package dev.stagesim.io.hf;

import dev.stagesim.io.hf.LayerPlan.Mixer;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads layers with a recurrent state: Mamba, gated delta rule, Kimi's linear attention, lightning attention, short convolution. */
final class StateReader {
    private static final int MAMBA_EXPAND = 2;
    private static final int JAMBA_STATE = 16;

    /** Hidden size per rank of the time step if the rank is "auto". */
    private static final int MAMBA_RANK = 16;

    private static final List<String> LAYER_LISTS = List.of("layer_types", "layers_block_type", "layer_block_types");
    private static final String HINT = "layers with a state need it; add it to the file";

    private final LocatedJson text;
    private final List<LayerPlan> layers;
    private final int hidden;
    private final List<Problem> problems;

    StateReader(LocatedJson text, List<LayerPlan> layers, int hidden, List<Problem> problems) {
        this.text = text;
        this.layers = layers;
        this.hidden = hidden;
        this.problems = problems;
    }

    Map<String, Object> components() {
        if (layers.stream().noneMatch(layer -> layer.mixer() == Mixer.STATE)) {
            return Map.of();
        }
        if (IntegerKey.LINEAR_VALUE_HEADS.in(text).isPresent()) {
            return gatedDelta();
        }
        Optional<LocatedJson> kimi = text.find("linear_attn_config");
        if (kimi.isPresent()) {
            LocatedJson at = kimi.get();
            return kimi(at.get("num_heads").asInt(), at.get("head_dim").asInt(), at.flag("use_full_rank_gate"));
        }
        if (text.find("linear_num_heads").isPresent()) {
            return kimi(
                    text.get("linear_num_heads").asInt(),
                    text.get("linear_head_dim").asInt(),
                    false);
        }
        if (text.find("conv_L_cache").isPresent()) {
            return convolution();
        }
        if (IntegerKey.MAMBA_HEADS.in(text).isPresent()) {
            return mamba2();
        }
        if (isJamba() || text.find("mamba_dt_rank").isPresent()) {
            return mamba1();
        }
        if (!isMamba()
                && (text.find("attn_type_list").isPresent()
                        || text.find("layer_types").isPresent())) {
            return lightning();
        }
        if (isMamba()) {
            missing(IntegerKey.MAMBA_HEADS);
            missing(IntegerKey.STATE_SIZE);
        } else {
            missing(IntegerKey.LINEAR_VALUE_HEADS);
        }
        return Map.of();
    }

    /** Describes dimensions of stateful layers that no layer uses. */
    List<String> limitations() {
        boolean hasState = layers.stream().anyMatch(layer -> layer.mixer() == Mixer.STATE);
        boolean isStated = Stream.concat(LAYER_LISTS.stream(), Stream.of("full_attention_interval"))
                .anyMatch(key -> text.find(key).isPresent());
        return hasState || isStated || text.find("linear_num_value_heads").isEmpty()
                ? List.of()
                : List.of("config.json has dimensions of linear attention (linear_num_value_heads), but states no layer"
                        + " that uses it");
    }

    private void missing(IntegerKey key) {
        problems.add(text.problem(key.spellings().get(0) + " is missing").hint(HINT));
    }

    private int required(IntegerKey key) {
        return key.required(text, problems, HINT);
    }

    private static Map<String, Object> state(long width, long size, long groups, long weights) {
        Map<String, Object> components = new HashMap<>();
        components.put("stateDim", Optional.of(Math.toIntExact(width)));
        components.put("stateSize", Optional.of(Math.toIntExact(Math.max(1, size))));
        components.put("stateGroupDim", Optional.of(Math.toIntExact(Math.max(1, groups))));
        if (weights > 0) {
            components.put("stateParams", Optional.of(weights));
        }
        return components;
    }

    private Map<String, Object> gatedDelta() {
        int values = IntegerKey.LINEAR_VALUE_HEADS.in(text).orElse(1);
        int keys = required(IntegerKey.LINEAR_KEY_DIM);
        long width = (long) values * required(IntegerKey.LINEAR_VALUE_DIM);
        long groups = 2L * required(IntegerKey.LINEAR_KEY_HEADS) * keys + 2L * values;
        return state(width, keys, groups, 0);
    }

    /** Returns a layer with queries, keys and values of equal width, a low-rank decay, and a low-rank or full gate. */
    private Map<String, Object> kimi(long heads, long size, boolean isFull) {
        long width = heads * size;
        long decay = hidden * size + size * width;
        long gate = isFull ? hidden * width : decay;
        return state(width, size, 2 * width + heads, hidden * (4 * width + heads) + decay + gate);
    }

    private Map<String, Object> convolution() {
        int width = text.find("conv_dim").map(LocatedJson::asInt).orElse(hidden);
        return state(width, 1, 1, 3L * hidden * width + (long) width * hidden);
    }

    private Map<String, Object> mamba2() {
        int heads = IntegerKey.MAMBA_HEADS.in(text).orElse(1);
        int size = required(IntegerKey.STATE_SIZE);
        if (IntegerKey.MAMBA_HEAD_DIM.in(text).isEmpty()
                && IntegerKey.MAMBA_EXPAND.in(text).isEmpty()
                && text.find("expand").isEmpty()) {
            missing(IntegerKey.MAMBA_HEAD_DIM);
        }
        long width = IntegerKey.MAMBA_HEAD_DIM
                .in(text)
                .map(each -> (long) each * heads)
                .orElse((long) IntegerKey.MAMBA_EXPAND.in(text).orElse(MAMBA_EXPAND) * hidden);
        return state(width, size, 2L * IntegerKey.STATE_GROUPS.in(text).orElse(1) * size + heads, 0);
    }

    /** True if the layers with a state are those of Mamba or Mamba-2. */
    private boolean isMamba() {
        return text.find("hybrid_override_pattern").isPresent()
                || text.members().keySet().stream().anyMatch(key -> key.startsWith("mamba"))
                || LAYER_LISTS.stream()
                        .flatMap(list -> text.find(list).stream())
                        .flatMap(list -> list.items().stream())
                        .anyMatch(layer -> layer.asString().equals("mamba"));
    }

    private boolean isJamba() {
        return text.text("model_type", "").equals("jamba");
    }

    /** Returns a layer of Mamba. A configuration of Jamba omits the values that Transformers assumes. */
    private Map<String, Object> mamba1() {
        long width = (long) IntegerKey.MAMBA_EXPAND.in(text).orElse(MAMBA_EXPAND) * hidden;
        long size = isJamba() ? IntegerKey.STATE_SIZE.in(text).orElse(JAMBA_STATE) : required(IntegerKey.STATE_SIZE);
        boolean isStated = text.find("mamba_dt_rank")
                .filter(rank -> !(rank.value() instanceof JsonValue.Str))
                .isPresent();
        long rank = isStated ? IntegerKey.MAMBA_RANK.in(text).orElse(1) : (hidden + MAMBA_RANK - 1) / MAMBA_RANK;
        long weights = 3 * width * hidden + width * (rank + 2 * size) + rank * width + width * size;
        return state(width, size, rank + 2 * size, weights);
    }

    /** Returns a layer with queries, keys, values, a gate and an output of the width of all heads. */
    private Map<String, Object> lightning() {
        int heads = required(IntegerKey.HEADS);
        int size = IntegerKey.HEAD_DIM.in(text).orElse(hidden / heads);
        long width = (long) heads * size;
        if (Arrays.asList("minimax", "minimax_text_01", "MiniMaxText01").stream()
                .noneMatch(name -> text.text("model_type", "").equals(name))) {
            missing(IntegerKey.LINEAR_VALUE_HEADS);
        }
        return state(width, size, 2 * width, 5 * width * hidden);
    }
}
