package dev.stagesim.sweep;

import dev.stagesim.settings.LauncherSettings;
import java.io.IOException;

/** Where the jobs of a sweep run; the package's documentation says how one is added. */
public interface Launcher {
    /** What it was told. */
    LauncherSettings settings();

    /** The part of the jobs that it runs; all, for most. */
    default Part part() {
        return Part.ALL;
    }

    /**
     * Runs the jobs of a launch and returns when each has ended, or when the launch was stopped and those under way have
     * ended.
     *
     * @throws IOException when the tables of the sweep cannot be written, or the place cannot be reached at all; what goes
     *     wrong with a single job is reported to the launch
     */
    void launch(Launch launch) throws IOException, InterruptedException;
}
