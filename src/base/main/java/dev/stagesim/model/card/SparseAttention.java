package dev.stagesim.model.card;

import dev.stagesim.model.Key;
import java.util.List;
import java.util.Optional;

/** Layers that attend to selected or compressed entries. */
public record SparseAttention(
        @Key("Tokens (blocks times their length) that sparse attention selects for each query. | null |"
                        + " tokens | 1..1000000000")
                Optional<Integer> indexTopk,
        @Key("Heads of the indexer that selects them. | null | 1..1000000") Optional<Integer> indexHeads,
        @Key("Width of an indexer head: its cache has a byte for each and a scale of four. | null | 1..1000000")
                Optional<Integer> indexDim,
        @Key("Layers with their own indexer; other layers use its selection. All layers if absent."
                        + " | null | 0..100000")
                Optional<Integer> indexLayers,
        @Key("Layers with sparse attention; all layers with attention if absent. | null | 0..100000")
                Optional<Integer> sparseLayers,
        @Key("Tokens that share one cached entry, layer by layer; 0 for layers with a window alone. Empty"
                        + " when nothing is compressed. | [] | 0..1000000")
                List<Integer> compressRatios) {
    public SparseAttention {
        compressRatios = List.copyOf(compressRatios);
    }
}
