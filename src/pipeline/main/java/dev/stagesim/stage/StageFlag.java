package dev.stagesim.stage;

/**
 * A command-line flag that is equivalent to an override.
 *
 * @param name with its dashes, for example {@code --optimize}
 * @param override the override, for example {@code optimize=true}
 * @param doc one sentence for help
 */
public record StageFlag(String name, String override, String doc) {}
