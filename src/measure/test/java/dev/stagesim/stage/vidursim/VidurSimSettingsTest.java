package dev.stagesim.stage.vidursim;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.Defaults;
import dev.stagesim.settings.EveryKey;
import dev.stagesim.settings.PredictorSettings;
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
                Compat.NONE));
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
                Compat.VIDUR));
    }
}
