package dev.stagesim.settings;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** Profile settings for tests: the declared defaults, and small variations of them. */
public final class ProfileDefaults {
    private ProfileDefaults() {}

    public static ProfileSettings.Efficiency efficiency() {
        return new ProfileSettings.Efficiency(Optional.empty(), 0.6, 0.8, 0.8, 3.0, 8.4, 3.4, 14.0);
    }

    public static ProfileSettings.Efficiency compute(OptionalDouble share) {
        return new ProfileSettings.Efficiency(
                share.isPresent() ? Optional.of(share.getAsDouble()) : Optional.empty(),
                0.6,
                0.8,
                0.8,
                3.0,
                8.4,
                3.4,
                14.0);
    }

    public static ProfileSettings.Grid grid() {
        return new ProfileSettings.Grid(
                List.of(1, 8, 64, 512, 4096), List.of(1, 64, 512, 4096), List.of(0, 512, 4096), List.of(1, 16, 128));
    }

    public static ProfileSettings.Roofline roofline(Integer... tensorParallelSizes) {
        return new ProfileSettings.Roofline(
                efficiency(), grid(), List.of(tensorParallelSizes), 16, List.of(), new HostOverhead.None());
    }

    public static ProfileSettings.Roofline with(HostOverhead host) {
        return new ProfileSettings.Roofline(efficiency(), grid(), List.of(1), 16, List.of(), host);
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
                List.of(ProfileSettings.Judged.INTERPOLATION));
    }
}
