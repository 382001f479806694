package dev.stagesim.io.hf;

import dev.stagesim.io.hf.LayerPlan.Mixer;
import dev.stagesim.io.json.JsonBinder;
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
        ConfigKeys.Linear linear = JsonBinder.FOREIGN.bind(text, ConfigKeys.Linear.class);
        if (linear.linearNumValueHeads().isPresent()) {
            return gatedDelta(linear);
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
        ConfigKeys.Mamba mamba = JsonBinder.FOREIGN.bind(text, ConfigKeys.Mamba.class);
        if (mamba.heads().isPresent()) {
            return mamba2(mamba);
        }
        if (mamba.mambaExpand().isPresent() && mamba.mambaDtRank().isPresent()) {
            return mamba1(mamba);
        }
        if (text.find("attn_type_list").isPresent() || text.find("layer_types").isPresent()) {
            return lightning();
        }
        String key = text.find("hybrid_override_pattern").isPresent() ? "mamba_num_heads" : "linear_num_value_heads";
        missing(key);
        if (key.startsWith("mamba")) {
            missing("ssm_state_size");
        }
        return Map.of();
    }

    /** Describes dimensions of stateful layers that no layer uses. */
    List<String> limitations() {
        boolean hasState = layers.stream().anyMatch(layer -> layer.mixer() == Mixer.STATE);
        boolean isStated = Stream.of("layer_types", "layers_block_type", "layer_block_types", "full_attention_interval")
                .anyMatch(key -> text.find(key).isPresent());
        return hasState || isStated || text.find("linear_num_value_heads").isEmpty()
                ? List.of()
                : List.of("config.json has dimensions of linear attention (linear_num_value_heads), but states no layer"
                        + " that uses it");
    }

    private void missing(String key) {
        problems.add(text.problem(key + " is missing").hint("layers with a state need it; add it to the file"));
    }

    private int required(Optional<Integer> found, String key) {
        if (found.filter(value -> value > 0).isEmpty()) {
            missing(key);
        }
        return found.orElse(1);
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

    private Map<String, Object> gatedDelta(ConfigKeys.Linear linear) {
        int values = linear.linearNumValueHeads().orElse(1);
        int keys = required(linear.linearKeyHeadDim(), "linear_key_head_dim");
        long width = (long) values * required(linear.linearValueHeadDim(), "linear_value_head_dim");
        long groups = 2L * required(linear.linearNumKeyHeads(), "linear_num_key_heads") * keys + 2L * values;
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

    private Map<String, Object> mamba2(ConfigKeys.Mamba mamba) {
        int heads = mamba.heads().orElse(1);
        int size = required(mamba.state(), "ssm_state_size");
        if (mamba.width().isEmpty()
                && mamba.mambaExpand().isEmpty()
                && text.find("expand").isEmpty()) {
            missing("mamba_head_dim");
        }
        long width = mamba.width()
                .map(each -> (long) each * heads)
                .orElse((long) mamba.mambaExpand().orElse(MAMBA_EXPAND) * hidden);
        return state(width, size, 2L * mamba.groups() * size + heads, 0);
    }

    private Map<String, Object> mamba1(ConfigKeys.Mamba mamba) {
        long width = (long) mamba.mambaExpand().orElse(MAMBA_EXPAND) * hidden;
        long size = required(mamba.state(), "mamba_d_state");
        long rank = mamba.mambaDtRank().orElse(1);
        long weights = 3 * width * hidden + width * (rank + 2 * size) + rank * width + width * size;
        return state(width, size, rank + 2 * size, weights);
    }

    /** Returns a layer with queries, keys, values, a gate and an output of the width of all heads. */
    private Map<String, Object> lightning() {
        ConfigKeys.Heads keys = JsonBinder.FOREIGN.bind(text, ConfigKeys.Heads.class);
        int heads = required(keys.queries(), "num_attention_heads");
        int size = keys.width().orElse(hidden / heads);
        long width = (long) heads * size;
        if (Arrays.asList("minimax", "minimax_text_01", "MiniMaxText01").stream()
                .noneMatch(name -> text.text("model_type", "").equals(name))) {
            missing("linear_num_value_heads");
        }
        return state(width, size, 2 * width, 5 * width * hidden);
    }
}
