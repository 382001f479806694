package dev.stagesim.sweep;

import dev.stagesim.model.Key;
import dev.stagesim.sweep.launch.LauncherSettings;

/** Settings of a sweep: the keys that {@code --multirun} adds to the keys of the stage. */
public record SweepSettings(
        @Key("Launcher of the jobs. | { kind = local }") LauncherSettings launcher,
        @Key("Sweeper, which creates jobs from the swept keys. | { kind = grid }") SweeperSettings sweeper) {}
