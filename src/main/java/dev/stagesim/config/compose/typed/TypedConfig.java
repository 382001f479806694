package dev.stagesim.config.compose.typed;

/**
 * A config whose keys have declared types.
 *
 * @param path the config's path below the search roots
 * @param type the types of its keys, and their defaults
 */
public record TypedConfig(String path, Type.Struct type) {}
