package dev.stagesim.stage.calibrate;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.workload.CompatMode;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CalibrateStageSettingsTest {
    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(
                Defaults.of(CalibrateStageSettings.class, Map.of("predictor", Defaults.predictor())));
    }

    @Test
    void bindsEveryKey() {
        SettingsContract.assertEveryKeyNonDefault(
                EveryKey.of(CalibrateStageSettings.class, Map.of("compat", CompatMode.VIDUR)));
    }
}
