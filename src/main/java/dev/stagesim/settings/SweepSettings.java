package dev.stagesim.settings;

import dev.stagesim.model.Key;

/** How a stage is run many times: the keys that {@code --multirun} takes beside those of the stage. */
public record SweepSettings(
        @Key("Where the jobs of a sweep run. | { kind = local }") LauncherSettings launcher,
        @Key("How the swept keys become jobs. | { kind = grid }") SweeperSettings sweeper) {}
