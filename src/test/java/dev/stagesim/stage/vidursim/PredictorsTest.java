package dev.stagesim.stage.vidursim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.predict.Extrapolation;
import dev.stagesim.predict.Interpolation;
import dev.stagesim.predict.Range;
import dev.stagesim.settings.PredictorSettings;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class PredictorsTest {
    @Test
    void everySettingReachesThePredictor() {
        PredictorSettings.Range range =
                new PredictorSettings.Range(16, Optional.of(1), Optional.of(2), Optional.of(3), Optional.empty());
        assertThat(Predictors.of(new PredictorSettings.Interpolation(
                        range, PredictorSettings.Extrapolation.LINEAR, Optional.of(0.4)), false))
                .isEqualTo(new Interpolation(
                        new Range(16, OptionalInt.of(1), OptionalInt.of(2), OptionalInt.of(3), OptionalInt.empty()),
                        Extrapolation.LINEAR,
                        OptionalDouble.of(0.4)));
    }
}
