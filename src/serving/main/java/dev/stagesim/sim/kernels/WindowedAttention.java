package dev.stagesim.sim.kernels;

import dev.stagesim.model.card.LayerPattern;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import java.util.ArrayList;
import java.util.List;

/** Query-key pairs of causal attention, averaged over layers with different attention patterns. */
final class WindowedAttention {
    private final List<Part> parts = new ArrayList<>();

    /**
     * Layers with equal attention patterns.
     *
     * @param share their share of the attention layers, 0 to 1
     * @param limit maximum tokens or entries that a query attends to; 0 means the whole context
     * @param isChunked whether they attend to the tokens of their chunk
     * @param ratio tokens per cache entry
     * @param weight cost of a pair relative to a full layer
     */
    record Part(double share, double limit, boolean isChunked, int ratio, double weight) {
        double pairs(double kv, double chunk) {
            if (ratio > 1) {
                return weight * share * inWindow(kv / ratio, chunk / ratio) * ratio;
            }
            return weight * share * (isChunked ? inChunks(kv, chunk) : inWindow(kv, chunk));
        }

        private double inWindow(double kv, double chunk) {
            if (limit == 0) {
                return chunk * kv + chunk * (chunk + 1) / 2;
            }
            double growing = Math.max(0, Math.min(chunk, limit - kv));
            return growing * kv + growing * (growing + 1) / 2 + (chunk - growing) * limit;
        }

        /** A single token represents tokens at all positions of their chunks, which are half full on average. */
        private double inChunks(double kv, double chunk) {
            return chunk == 1 && kv >= limit ? (limit + 1) / 2 : upTo(kv + chunk) - upTo(kv);
        }

        /** Pairs of the first {@code tokens} tokens. */
        private double upTo(double tokens) {
            double rest = tokens % limit;
            return Math.floor(tokens / limit) * limit * (limit + 1) / 2 + rest * (rest + 1) / 2;
        }
    }

    /**
     * Tokens that a decoding token reads after {@code kv} cached tokens. Kernels read whole tiles, and a window begins
     * inside a tile.
     */
    double read(double kv) {
        double sum = 0;
        for (Part part : parts) {
            double entries = part.limit > 0 && kv / part.ratio >= part.limit && !part.isChunked
                    ? part.limit + Kernels.TILE
                    : Kernels.tiled(part.pairs(kv, 1) / (part.weight * part.share));
            sum += part.weight * part.share * entries;
        }
        return sum;
    }

    /**
     * Attention of a model card; {@code windowWeight} is the cost of a windowed layer's pair relative to a full
     * layer's.
     */
    static WindowedAttention of(ModelCard model, double windowWeight) {
        WindowedAttention attention = new WindowedAttention();
        double window = model.window().slidingWindow().orElse(0);
        int topk = model.sparse().indexTopk().orElse(0);
        List<Integer> ratios = model.sparse().compressRatios();
        if (!ratios.isEmpty()) {
            int selected = ModelSize.indexRatio(model);
            double share = 1.0 / ratios.size();
            attention.parts.add(new Part(1, window, false, 1, 1));
            ratios.stream()
                    .filter(ratio -> ratio > 0)
                    .forEach(ratio ->
                            attention.parts.add(new Part(share, ratio == selected ? topk : 0, false, ratio, 1)));
            return attention;
        }
        LayerPattern pattern = LayerPattern.of(model);
        int layers = ModelSize.attentionLayers(model);
        double windowed = pattern.share(layers);
        if (windowed > 0) {
            attention.parts.add(new Part(windowed, window, pattern.isChunked(), 1, windowWeight));
        }
        double sparse = Math.min(1 - windowed, ModelSize.sparseLayers(model) / (double) Math.max(1, layers));
        if (sparse > 0) {
            attention.parts.add(new Part(sparse, topk, false, 1, 1));
        }
        if (windowed + sparse < 1) {
            attention.parts.add(new Part(1 - windowed - sparse, 0, false, 1, 1));
        }
        return attention;
    }

    /** Query-key pairs of a chunk after {@code kv} cached tokens; each token also attends to itself. */
    double pairs(double kv, double chunk) {
        double sum = 0;
        for (Part part : parts) {
            sum += part.pairs(kv, chunk);
        }
        return sum;
    }
}
