package dev.stagesim.sweep;

import dev.stagesim.settings.LauncherSettings;

/** The one place where a launcher's settings lead to the launcher: one line per kind. */
public final class Launchers {
    private Launchers() {}

    /** The launcher that the settings choose. */
    public static Launcher of(LauncherSettings settings) {
        if (settings instanceof LauncherSettings.Local local) {
            return new LocalLauncher(local, Part.ALL, local.jobs(), local.memory());
        } else if (settings instanceof LauncherSettings.Shard shard) {
            return new LocalLauncher(shard, Part.parse(shard.shard(), shard.assign()), shard.jobs(), shard.memory());
        } else if (settings instanceof LauncherSettings.Spark spark) {
            return new SparkLauncher(spark);
        }
        throw new IllegalStateException("no launcher for " + settings.getClass());
    }
}
