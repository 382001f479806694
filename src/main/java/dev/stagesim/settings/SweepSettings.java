package dev.stagesim.settings;

import dev.stagesim.model.Key;

/** How a stage is run many times: the keys that {@code --multirun} takes beside those of the stage. */
public record SweepSettings(
        @Key(doc = "Where the jobs of a sweep run.", def = "{ kind = local }") LauncherSettings launcher,
        @Key(doc = "How the swept keys become jobs.", def = "{ kind = grid }") SweeperSettings sweeper) {}
