package dev.stagesim.serving.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Profile settings for tests: the declared defaults and small variations. */
public final class ProfileDefaults {
    private ProfileDefaults() {}

    public static ProfileSettings.Grid grid() {
        return new ProfileSettings.Grid(
                List.of(1, 8, 64, 512, 4096), List.of(1, 64, 512, 4096), List.of(0, 512, 4096), List.of(1, 16, 128));
    }

    public static ProfileSettings.Roofline roofline(Integer... tensorParallelSizes) {
        return new ProfileSettings.Roofline(
                grid(), List.of(tensorParallelSizes), 16, List.of(), new HostOverhead.None());
    }

    public static ProfileSettings.Roofline with(HostOverhead host) {
        return new ProfileSettings.Roofline(grid(), List.of(1), 16, List.of(), host);
    }

    public static ProfileSettings.Import importing(Path root, Integer... tensorParallelSizes) {
        return new ProfileSettings.Import(
                root,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of(tensorParallelSizes),
                false,
                false,
                16,
                List.of(ProfileSettings.EvaluatedPredictor.INTERPOLATION));
    }
}
