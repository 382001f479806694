package dev.stagesim.stage.compare;

import dev.stagesim.measure.CompareSettings;
import dev.stagesim.measure.CompareSettings.Bootstrap;
import dev.stagesim.measure.CompareSettings.Tolerance;
import dev.stagesim.model.KeyRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Settings of {@code compare} for tests: the defaults and variations. */
final class CompareSettingsFixture {
    static final CompareSettings.Noise NO_NOISE = new CompareSettings.Noise(Optional.empty(), Optional.empty());

    static final CompareSettings.Fit NO_FIT = new CompareSettings.Fit(List.of(), 20_000);

    static final Tolerance NONE = tolerance(Optional.empty(), Optional.empty());

    private CompareSettingsFixture() {}

    static CompareSettings defaults() {
        return new CompareSettings(0, false, false, NONE, new Bootstrap(200, 42), 200, NO_NOISE, NO_FIT);
    }

    static CompareSettings warmUp(int requests) {
        return new CompareSettings(requests, false, false, NONE, new Bootstrap(200, 42), 200, NO_NOISE, NO_FIT);
    }

    static CompareSettings withoutFailed() {
        return new CompareSettings(0, true, false, NONE, new Bootstrap(200, 42), 200, NO_NOISE, NO_FIT);
    }

    static CompareSettings limits(Tolerance tolerance) {
        return new CompareSettings(0, false, false, tolerance, new Bootstrap(200, 42), 200, NO_NOISE, NO_FIT);
    }

    static Tolerance tolerance(Optional<Double> ttftP50, Optional<Double> tokenGapP50) {
        return KeyRecord.of(Tolerance.class, Map.of("ttftP50Percent", ttftP50, "tokenGapP50Percent", tokenGapP50));
    }
}
