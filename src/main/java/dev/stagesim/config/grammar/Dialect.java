package dev.stagesim.config.grammar;

/** Whose grammar rules apply. */
public enum Dialect {
    HYDRA, // Hydra 1.3.5, its restrictions included.
    STAGE // Ours: everything Hydra accepts means the same, and more is accepted; see specs/overrides.md.
}
