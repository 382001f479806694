package dev.stagesim.stage.vidursim;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.workload.CompatMode;
import org.junit.jupiter.api.Test;

class VidurSimSettingsTest {
    @Test
    void defaults() {
        SettingsContract.assertDefaults(new VidurSimSettings(
                Defaults.model(),
                Defaults.hardware(),
                Defaults.workload(),
                Defaults.arrival(),
                Defaults.profile(),
                Defaults.engine(),
                Defaults.profiling(),
                new PredictorSettings.Auto(),
                Defaults.scheduler(),
                Defaults.cluster(),
                Defaults.simulation(),
                Defaults.output(),
                CompatMode.NONE));
    }

    @Test
    void everyKeyIsBound() {
        SettingsContract.assertEveryKeyNonDefault(new VidurSimSettings(
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
                EveryKey.simulation(),
                EveryKey.output(),
                CompatMode.VIDUR));
    }
}
