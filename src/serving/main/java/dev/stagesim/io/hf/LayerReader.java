package dev.stagesim.io.hf;

import dev.stagesim.io.hf.LayerPlan.Feed;
import dev.stagesim.io.hf.LayerPlan.Mixer;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Reads the kind of each layer of a config.json: full, windowed or chunked attention, a recurrent state, dense
 * feed-forward parts or experts. Families use different spellings; a list of layers takes precedence over a period.
 */
final class LayerReader {
    private static final List<String> LISTS =
            List.of("layers_block_type", "layer_types", "layer_block_types", "block_types", "attn_type_list");

    private final LocatedJson text;
    private final Family family;
    private final List<Problem> problems;
    private final Set<String> unknownKinds = new HashSet<>();
    private final List<String> limitations = new ArrayList<>();
    private final Optional<Integer> window;
    private final Optional<Integer> chunk;
    private final Optional<Boolean> usesWindow;
    private final boolean isMixture;

    LayerReader(LocatedJson text, Family family, boolean isMixture, List<Problem> problems) {
        this.text = text;
        this.family = family;
        this.isMixture = isMixture;
        this.problems = problems;
        window = IntegerKey.WINDOW.in(text);
        chunk = IntegerKey.CHUNK.in(text);
        usesWindow = text.find("use_sliding_window").map(LocatedJson::asBool);
    }

    /** Returns sentences about contradictions between a list of layers and a period. */
    List<String> limitations() {
        return limitations;
    }

    /** Returns the tokens of a window or chunk, or empty if no layer can have one. */
    Optional<Integer> window() {
        return usesWindow.orElse(true) ? window.or(() -> chunk) : Optional.empty();
    }

    /** Reads the layers; {@code stated} is the number of layers in the file. */
    List<LayerPlan> read(Optional<Integer> stated) {
        Optional<List<LayerPlan>> single = singleParts();
        List<LayerPlan> layers = single.orElseGet(() -> pairs(stated));
        if (stated.isPresent() && layers.size() != stated.get()) {
            checkLength(text, layers.size(), stated.get());
            return layers.subList(0, Math.min(layers.size(), stated.get()));
        }
        return layers;
    }

    /** Reports a list that does not have one item per layer. The layers of multi-token prediction can follow. */
    private void checkLength(LocatedJson list, int items, int count) {
        int extra = Math.max(1, IntegerKey.PREDICTING_LAYERS.in(text).orElse(1));
        if (items < count || items > count + extra) {
            problems.add(list.problem("lists " + items + " layers, but num_hidden_layers is " + count));
        }
    }

    private int[] perLayer(LocatedJson list, int count) {
        int[] values = Arrays.stream(list.asLongs()).mapToInt(Math::toIntExact).toArray();
        checkLength(list, values.length, count);
        return Arrays.copyOf(values, Math.max(count, values.length));
    }

    private Optional<List<LayerPlan>> singleParts() {
        Optional<LocatedJson> letters = text.find("hybrid_override_pattern");
        if (letters.isPresent()) {
            return Optional.of(Arrays.stream(letters.get().asString().split("", 0))
                    .map(letter -> singlePart(letters.get(), letter))
                    .toList());
        }
        Optional<LocatedJson> list = text.find("layers_block_type").or(() -> text.find("layer_types"));
        if (list.isEmpty() || list.get().asStrings().stream().noneMatch(Set.of("moe", "mlp")::contains)) {
            return Optional.empty();
        }
        return Optional.of(list.get().items().stream()
                .map(item -> singlePart(item, item.asString()))
                .toList());
    }

    private LayerPlan singlePart(LocatedJson at, String kind) {
        return switch (kind) {
            case "M", "mamba", "linear_attention" -> LayerPlan.of(Mixer.STATE, Feed.NONE);
            case "*", "attention", "full_attention" -> LayerPlan.of(Mixer.FULL, Feed.NONE);
            case "-", "mlp" -> LayerPlan.of(Mixer.NONE, Feed.DENSE);
            case "E", "moe" -> LayerPlan.of(Mixer.NONE, Feed.EXPERTS);
            default -> {
                unknown(at, kind, "M", "*", "-", "E", "mamba", "attention", "mlp", "moe");
                yield LayerPlan.of(Mixer.NONE, Feed.NONE);
            }
        };
    }

    /** Reports a kind of layer once, even if several layers have it. */
    private void unknown(LocatedJson at, String kind, String... options) {
        if (unknownKinds.add(kind)) {
            problems.add(at.problem("unknown kind of layer '" + kind + "'").options(List.of(options)));
        }
    }

    private List<LayerPlan> pairs(Optional<Integer> stated) {
        Optional<LocatedJson> blocks = text.find("block_configs");
        if (blocks.isPresent()) {
            int hidden = text.find("hidden_size").map(LocatedJson::asInt).orElse(0);
            int heads = text.find("num_attention_heads").map(LocatedJson::asInt).orElse(0);
            return blocks.get().items().stream()
                    .map(block -> new BlockConfig(block, heads, hidden, problems).plan())
                    .toList();
        }
        Optional<LocatedJson> list =
                LISTS.stream().map(text::find).flatMap(Optional::stream).findFirst();
        int count = stated.orElseGet(() -> list.map(at -> at.items().size()).orElse(0));
        if (count == 0) {
            problems.add(text.problem("num_hidden_layers is missing")
                    .options(IntegerKey.LAYERS.spellings())
                    .hint(ModelConfig.REQUIRED));
        }
        IntFunction<Mixer> mixers = list.map(kinds -> listed(kinds, count)).orElseGet(() -> periodic(count));
        IntPredicate isExperts = isMixture ? mixture(count) : layer -> false;
        List<LayerPlan> plans = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            plans.add(LayerPlan.of(mixers.apply(i), isExperts.test(i) ? Feed.EXPERTS : Feed.DENSE));
        }
        Optional<IntPredicate> full = list.isPresent() ? fullByPeriod() : Optional.empty();
        if (full.isPresent()
                && IntStream.range(0, count)
                        .anyMatch(i ->
                                plans.get(i).mixer().isAttention() != full.get().test(i))) {
            limitations.add("the list of layers and the period of layers with full attention contradict each other;"
                    + " the card follows the list");
        }
        return plans;
    }

    private IntFunction<Mixer> listed(LocatedJson list, int count) {
        List<LocatedJson> items = list.items();
        if (items.isEmpty()) {
            problems.add(list.problem("is empty, expected a kind for each layer"));
            return layer -> Mixer.FULL;
        }
        // a shorter list of recurrent and windowed blocks repeats
        boolean repeats = list.pointer().endsWith("block_types");
        if (!repeats) {
            checkLength(list, items.size(), count);
        }
        return layer -> mixer(items.get(layer % items.size()));
    }

    private Mixer mixer(LocatedJson item) {
        if (!(item.value() instanceof JsonValue.Str)) {
            return item.asInt() == 0 ? Mixer.STATE : Mixer.FULL;
        }
        String kind = item.asString();
        return switch (kind) {
            case "full_attention", "attention", "indexed_attention", "deepseek_sparse_attention", "minimax_m3_sparse" ->
                Mixer.FULL;
            case "sliding_attention",
                    "sliding_window_attention",
                    "compressed_sparse_attention",
                    "heavily_compressed_attention" -> Mixer.WINDOW;
            case "chunked_attention" -> Mixer.CHUNK;
            case "linear_attention", "mamba", "mamba2", "conv", "kda", "lightning_attention" -> Mixer.STATE;
            default -> {
                unknown(
                        item,
                        kind,
                        "full_attention",
                        "sliding_attention",
                        "chunked_attention",
                        "linear_attention",
                        "mamba",
                        "conv");
                yield Mixer.FULL;
            }
        };
    }

    /** Selects layers by periods, positions and windows. */
    private IntFunction<Mixer> periodic(int count) {
        Optional<IntPredicate> full = fullLayers();
        if (full.isPresent()) {
            return layer -> full.get().test(layer) ? Mixer.FULL : Mixer.STATE;
        }
        Optional<LocatedJson> pattern = text.find("hybrid_layer_pattern");
        if (pattern.isPresent()) {
            int[] windowed = perLayer(pattern.get(), count);
            return layer -> windowed[layer] == 0 ? Mixer.FULL : Mixer.WINDOW;
        }
        if (window().isEmpty()) {
            return layer -> Mixer.FULL;
        }
        if (chunk.isPresent() && window.isEmpty()) {
            return chunked(count);
        }
        return windowed();
    }

    private Optional<IntPredicate> fullByPeriod() {
        Optional<Integer> period = IntegerKey.FULL_PERIOD.in(text);
        int offset = IntegerKey.FULL_OFFSET.in(text).orElse(0);
        return IntegerKey.FULL_INTERVAL
                .in(text)
                .<IntPredicate>map(interval -> layer -> (layer + 1) % interval == 0)
                .or(() -> period.map(count -> layer -> layer % count == offset))
                .or(() -> IntegerKey.LAYER_GROUP.in(text).map(size -> layer -> (layer + 1) % size == 0));
    }

    private Optional<IntPredicate> fullLayers() {
        Optional<IntPredicate> periodic = fullByPeriod();
        if (periodic.isPresent()) {
            return periodic;
        }
        if (family.has(Family.Trait.STATES) && text.find("attn_layer_indices").isEmpty()) {
            return Optional.of(layer -> false);
        }
        Optional<LocatedJson> indices = text.find("attn_layer_indices")
                .or(() -> text.find("full_attn_idxs"))
                .or(() -> text.find("full_attention_layers"));
        if (indices.isPresent()) {
            Set<Integer> layers = ints(indices.get(), 0);
            return Optional.of(layers::contains);
        }
        Optional<LocatedJson> full = text.find("linear_attn_config", "full_attn_layers");
        return full.map(at -> ints(at, 1)::contains);
    }

    private static Set<Integer> ints(LocatedJson list, int base) {
        Set<Integer> layers = new HashSet<>();
        for (long layer : list.asLongs()) {
            layers.add((int) layer - base);
        }
        return layers;
    }

    /** Selects chunked layers. Layers without rotary positions attend to the whole context. */
    private IntFunction<Mixer> chunked(int count) {
        Optional<int[]> rotates = text.find("no_rope_layers")
                .filter(list -> !list.items().isEmpty())
                .map(list -> perLayer(list, count));
        int interval = IntegerKey.NO_ROPE_INTERVAL.in(text).orElse(4);
        return layer ->
                rotates.map(flags -> flags[layer] != 0).orElse((layer + 1) % interval != 0) ? Mixer.CHUNK : Mixer.FULL;
    }

    private IntFunction<Mixer> windowed() {
        Optional<LocatedJson> pattern =
                text.find("sliding_window_pattern").or(() -> text.find("_sliding_window_pattern"));
        if (pattern.isPresent() && pattern.get().value() instanceof JsonValue.Str letters) {
            String kinds = letters.value();
            if (!kinds.matches("[A-Z]+")) {
                throw pattern.get().expected("letters such as LLLG, L for a layer with a window");
            }
            return layer -> kinds.charAt(layer % kinds.length()) == 'L' ? Mixer.WINDOW : Mixer.FULL;
        }
        if (pattern.isPresent() && pattern.get().isArray()) {
            List<LocatedJson> items = pattern.get().items();
            if (items.isEmpty()) {
                throw pattern.get().expected("a flag for each layer");
            }
            return layer -> isTrue(items.get(layer % items.size())) ? Mixer.WINDOW : Mixer.FULL;
        }
        int every = pattern.map(LocatedJson::asInt).orElse(family.windowPeriod());
        if (every > 0) {
            return layer -> (layer + 1) % every == 0 ? Mixer.FULL : Mixer.WINDOW;
        }
        int first =
                usesWindow.isPresent() ? IntegerKey.MAX_WINDOW_LAYERS.in(text).orElse(0) : 0;
        return layer -> layer >= first ? Mixer.WINDOW : Mixer.FULL;
    }

    private static boolean isTrue(LocatedJson item) {
        return item.value() instanceof JsonValue.Bool ? item.asBool() : item.asLong() != 0;
    }

    /** Selects the layers with experts. */
    private IntPredicate mixture(int count) {
        Optional<LocatedJson> kinds = text.find("mlp_layer_types");
        if (kinds.isPresent()) {
            List<String> names = kinds.get().asStrings();
            checkLength(kinds.get(), names.size(), count);
            return layer -> layer < names.size() && !names.get(layer).equals("dense");
        }
        Optional<LocatedJson> listed = text.find("moe_layers");
        if (listed.isPresent() && listed.get().isArray()) {
            return ints(listed.get(), 0)::contains;
        }
        Optional<LocatedJson> enumerated = text.find("moe_layers_enum");
        if (enumerated.isPresent()) {
            Set<String> layers = Set.of(enumerated.get().asString().split(",", 0));
            return layer -> layers.contains(Integer.toString(layer));
        }
        Optional<LocatedJson> frequency = text.find("moe_layer_freq");
        if (frequency.isPresent() && frequency.get().isArray()) {
            int[] isMixed = perLayer(frequency.get(), count);
            return layer -> isMixed[layer] != 0;
        }
        frequency
                .filter(at -> at.asLong() < 1)
                .ifPresent(at -> problems.addAll(at.expected("an interval of at least 1, or a flag for each layer")
                        .problems()));
        return counted(count, frequency.map(at -> Math.max(1, at.asInt())));
    }

    private IntPredicate counted(int count, Optional<Integer> frequency) {
        Set<Integer> dense = text.find("mlp_only_layers").map(at -> ints(at, 0)).orElse(Set.of());
        int step = IntegerKey.EXPERT_STEP.in(text).orElse(1);
        int first = IntegerKey.FIRST_EXPERT_LAYER.in(text).orElse(0);
        int last = IntegerKey.LAST_EXPERT_LAYER
                .in(text)
                .filter(layer -> layer >= 0)
                .orElse(count - 1);
        Optional<Integer> stated = IntegerKey.EXPERT_INTERVAL.in(text);
        int interval = stated.or(() -> frequency).orElse(1);
        boolean isCountedFromOne = stated.isPresent();
        Optional<Integer> period = IntegerKey.EXPERT_PERIOD.in(text);
        if (period.isPresent()) {
            int offset = IntegerKey.EXPERT_OFFSET.in(text).orElse(0);
            return layer -> layer % period.get() == offset;
        }
        return layer -> layer >= first
                && layer <= last
                && (layer + (isCountedFromOne ? 1 : 0)) % interval == 0
                && (layer + 1) % step == 0
                && !dense.contains(layer);
    }
}
