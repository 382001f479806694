package dev.stagesim.feature.cluster.instance;

/** What the instances of a pool do. */
public enum PoolRole {
    BOTH, // Prompts and outputs.
    PREFILL, // Prompts and their first token.
    DECODE // The other tokens, and whole requests that are not split.
}
