package dev.stagesim.config.compose.typed;

/**
 * A config with declared key types.
 *
 * @param path the config's path below the search roots
 * @param type the types and defaults of its keys
 */
public record TypedConfig(String path, Type.Struct type) {}
