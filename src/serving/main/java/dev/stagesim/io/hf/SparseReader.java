package dev.stagesim.io.hf;

import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads sparse attention, in which an indexer selects tokens, and compressed attention, in which an entry represents
 * several tokens.
 */
final class SparseReader {
    /** Ratio of layers that select entries; their compressor covers two groups. */
    private static final int SELECTED_RATIO = 4;

    private static final int HEAVY_RATIO = 128;

    private final LocatedJson text;
    private final List<LayerPlan> layers;
    private final int hidden;
    private final List<Problem> problems;

    /** Members of {@code sparse_attention_config}. */
    private record Blocks(
            Optional<Boolean> useSparseAttention,
            Optional<Integer> sparseTopkBlocks,
            Optional<Integer> sparseBlockSize,
            Optional<Integer> sparseNumIndexHeads,
            Optional<Integer> sparseIndexDim) {}

    SparseReader(LocatedJson text, List<LayerPlan> layers, int hidden, List<Problem> problems) {
        this.text = text;
        this.layers = layers;
        this.hidden = hidden;
        this.problems = problems;
    }

    /** Returns the components of sparse attention; {@code card} is the card without them. */
    Map<String, Object> components(ModelCard card) {
        if (text.find("compress_ratios").isPresent()
                || text.find("compress_rates").isPresent()) {
            return compressed(card);
        }
        Optional<LocatedJson> blocks = text.find("sparse_attention_config");
        blocks.ifPresent(LocatedJson::object);
        if (blocks.isPresent()) {
            return blocks(blocks.get(), card);
        }
        Optional<Integer> topk = IntegerKey.INDEX_TOPK.in(text).or(() -> IntegerKey.INDEX_TOPK_BLOCKS
                .in(text)
                .map(count -> Math.multiplyExact(
                        count, IntegerKey.INDEX_BLOCK.in(text).orElse(1))));
        if (topk.isEmpty()) {
            IntegerKey.INDEX_HEADS.in(text).ifPresent(heads -> required(IntegerKey.INDEX_TOPK));
            return Map.of();
        }
        int heads = required(IntegerKey.INDEX_HEADS);
        int width = required(IntegerKey.INDEX_DIM);
        long rank = card.latent().qLoraRank().filter(queryRank -> queryRank > 0).orElse(hidden);
        long weights = rank * heads * width + (long) hidden * (width + heads);
        int indexers = text.find("indexer_types")
                .map(at -> (int) at.asStrings().stream()
                        .limit(layers.size())
                        .filter("full"::equals)
                        .count())
                .orElse(Integer.MAX_VALUE);
        int sparse = text.find("layer_types")
                .map(at -> (int) at.asStrings().stream()
                        .limit(layers.size())
                        .filter(kind -> kind.contains("indexed") || kind.contains("sparse"))
                        .count())
                .filter(count -> count > 0)
                .orElseGet(() -> ModelSize.attentionLayers(card));
        return sparse(card, topk.get(), heads, width, weights, Math.min(indexers, sparse), sparse);
    }

    private int required(IntegerKey key) {
        return key.required(text, problems, "sparse attention needs it; add it to the file");
    }

    private static Map<String, Object> sparse(
            ModelCard card, int topk, int heads, int width, long weights, int indexers, int sparse) {
        Map<String, Object> components = new HashMap<>();
        components.put("indexTopk", Optional.of(topk));
        components.put("indexHeads", Optional.of(heads));
        components.put("indexDim", Optional.of(width));
        int all = ModelSize.attentionLayers(card);
        if (indexers != all) {
            components.put("indexLayers", Optional.of(indexers));
        }
        if (sparse != all) {
            components.put("sparseLayers", Optional.of(sparse));
        }
        components.put(
                "attentionParams",
                Optional.of(ModelSize.attention(card) + Math.round((double) weights * indexers / Math.max(1, all))));
        return components;
    }

    /** Reads sparse attention that selects blocks; all layers except the first ones have an indexer. */
    private Map<String, Object> blocks(LocatedJson at, ModelCard card) {
        Blocks blocks = JsonBinder.FOREIGN.bind(at, Blocks.class);
        if (!blocks.useSparseAttention().orElse(true)) {
            return Map.of();
        }
        Optional<Integer> count = blocks.sparseTopkBlocks();
        Optional<Integer> size = blocks.sparseBlockSize();
        if (count.isEmpty() || size.isEmpty() || blocks.sparseIndexDim().isEmpty()) {
            problems.add(at.problem("expected sparse_topk_blocks, sparse_block_size and sparse_index_dim"));
            return Map.of();
        }
        int heads = blocks.sparseNumIndexHeads().orElse(1);
        int width = blocks.sparseIndexDim().get();
        int sparse = at.find("sparse_attention_freq")
                .or(() -> at.find("sparse_disable_index_value"))
                .map(list -> (int) Arrays.stream(list.asLongs())
                        .limit(layers.size())
                        .filter(flag -> flag != 0)
                        .count())
                .orElse(layers.size());
        long weights = (long) hidden * (heads + 1) * width;
        return sparse(card, Math.multiplyExact(count.get(), size.get()), heads, width, weights, sparse, sparse);
    }

    private Map<String, Object> compressed(ModelCard card) {
        List<Integer> ratios = ratios();
        long rank =
                card.latent().qLoraRank().filter(width -> width > 0).orElseGet(() -> required(IntegerKey.Q_LORA_RANK));
        long outRank = required(IntegerKey.OUTPUT_RANK);
        long groups = required(IntegerKey.OUTPUT_GROUPS);
        int heads = required(IntegerKey.INDEX_HEADS);
        int width = required(IntegerKey.INDEX_DIM);
        long head = card.shape().headDim();
        long all = card.shape().numHeads() * head;
        long base = hidden * rank + rank * all + hidden * head + all * outRank + groups * outRank * hidden;
        long sum = 0;
        for (int ratio : ratios) {
            long overlap = ratio == SELECTED_RATIO ? 2 : 1;
            long compressor = ratio > 0 ? 2 * overlap * hidden * head : 0;
            long indexer = ratio == SELECTED_RATIO
                    ? rank * heads * width + (long) hidden * heads + 2 * overlap * hidden * width
                    : 0;
            sum += base + compressor + indexer;
        }
        Map<String, Object> components = new HashMap<>();
        components.put("attention", ModelCard.Attention.COMPRESSED);
        components.put("kvValues", Optional.of((int) head));
        components.put("compressRatios", ratios);
        components.put("swaPattern", Optional.empty());
        components.put("indexTopk", Optional.of(required(IntegerKey.INDEX_TOPK)));
        components.put("indexHeads", Optional.of(heads));
        components.put("indexDim", Optional.of(width));
        components.put("attentionParams", Optional.of(sum / Math.max(1, ratios.size())));
        if (card.window().slidingWindow().isEmpty()) {
            problems.add(text.problem("sliding_window is missing").hint("compressed attention needs it"));
        }
        return components;
    }

    /** Returns a ratio for each layer, from a list or from the kinds of layers. */
    private List<Integer> ratios() {
        Optional<LocatedJson> listed = text.find("compress_ratios").filter(LocatedJson::isArray);
        List<Integer> ratios = new ArrayList<>();
        if (listed.isPresent()) {
            for (long ratio : listed.get().asLongs()) {
                ratios.add((int) ratio);
            }
            if (ratios.size() < layers.size()) {
                problems.add(listed.get().problem("has " + ratios.size() + " ratios for " + layers.size() + " layers"));
            }
            return List.copyOf(ratios.subList(0, Math.min(ratios.size(), layers.size())));
        }
        Optional<LocatedJson> rates = text.find("compress_rates").filter(LocatedJson::isObject);
        List<String> kinds = text.get("layer_types").asStrings();
        for (int i = 0; i < layers.size(); i++) {
            String kind = kinds.get(i);
            int defaultRatio =
                    kind.startsWith("compressed") ? SELECTED_RATIO : kind.startsWith("heavily") ? HEAVY_RATIO : 0;
            ratios.add(
                    rates.flatMap(at -> at.find(kind)).map(LocatedJson::asInt).orElse(defaultRatio));
        }
        return List.copyOf(ratios);
    }
}
