package dev.stagesim.model.card;

import dev.stagesim.model.Key;
import java.util.Optional;

/** Compressed queries, keys and values, and sizes that do not follow from the heads. */
public record LatentAttention(
        @Key("Rank of the compressed query; 0 if it is not compressed. | null | 0..1000000")
                Optional<Integer> qLoraRank,
        @Key("Rank of the compressed key and value. | null | 1..1000000") Optional<Integer> kvLoraRank,
        @Key("Width of the part of a query head that carries no position. | null | 1..1000000")
                Optional<Integer> qkNopeDim,
        @Key("Width of the part of a query head that carries the position. | null | 1..1000000")
                Optional<Integer> qkRopeDim,
        @Key("Width of a value head if it differs from head_dim. | null | 1..1000000") Optional<Integer> vHeadDim,
        @Key("Weights of one attention layer if they do not follow from its heads: gates, indexers, shared"
                        + " projections. | null | 0..1000000000000")
                Optional<Long> attentionParams,
        @Key("Values that one token leaves in the cache of one full layer, if they are not a key and a value for each"
                        + " head. | null | 1..100000000")
                Optional<Integer> kvValues) {}
