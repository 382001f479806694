package dev.stagesim.stage.calibrate;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.workload.CompatMode;
import org.junit.jupiter.api.Test;

class CalibrateStageSettingsTest {
    @Test
    void defaults() {
        SettingsContract.assertDefaults(new CalibrateStageSettings(
                Defaults.model(),
                Defaults.hardware(),
                Defaults.workload(),
                Defaults.arrival(),
                Defaults.profile(),
                Defaults.engine(),
                Defaults.profiling(),
                Defaults.predictor(),
                Defaults.scheduler(),
                Defaults.cluster(),
                Defaults.online(),
                CompatMode.NONE,
                Defaults.real(),
                Defaults.endpoint(),
                Defaults.calibrate()));
    }

    @Test
    void everyKeyIsBound() {
        SettingsContract.assertEveryKeyNonDefault(new CalibrateStageSettings(
                EveryKey.model(),
                EveryKey.hardware(),
                EveryKey.workload(),
                EveryKey.arrival(),
                EveryKey.profile(),
                EveryKey.engine(),
                EveryKey.profiling(),
                EveryKey.predictor(),
                EveryKey.scheduler(),
                EveryKey.cluster(),
                EveryKey.online(),
                CompatMode.VIDUR,
                EveryKey.real(),
                EveryKey.endpoint(),
                EveryKey.calibrate()));
    }
}
