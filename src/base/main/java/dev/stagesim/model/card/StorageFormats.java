package dev.stagesim.model.card;

import dev.stagesim.model.Key;
import java.util.List;
import java.util.Optional;

/** Precision of weights and cache. */
public record StorageFormats(
        @Key("Storage of weights; embeddings and output head are bf16. | bf16") Precision weights,
        @Key("Storage of routed experts if it differs. | null") Optional<Precision> expertWeights,
        @Key("Storage of groups of layers if it differs: group, precision and share of its weights. | []")
                List<StoredShare> storage,
        @Key("Storage of the KV cache. | bf16") Precision kvCache) {
    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the shares of a group exceed 1
     */
    public StorageFormats {
        StoredShare.check(storage);
        storage = List.copyOf(storage);
    }
}
