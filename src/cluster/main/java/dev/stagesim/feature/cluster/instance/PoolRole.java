package dev.stagesim.feature.cluster.instance;

/** The phases that the instances of a pool serve. */
public enum PoolRole {
    BOTH, // Prefill and decode.
    PREFILL, // Prefill and the first token.
    DECODE // The other tokens, and complete requests that are not split.
}
