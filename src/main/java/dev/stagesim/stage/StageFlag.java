package dev.stagesim.stage;

/**
 * A flag of a stage's command that stands for an override.
 *
 * @param name with its dashes, for example {@code --optimize}
 * @param override what it sets, for example {@code optimize=true}
 * @param doc one sentence for help
 */
public record StageFlag(String name, String override, String doc) {}
