package dev.stagesim.feature.mock;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.serving.config.PredictorSettings;
import org.junit.jupiter.api.Test;

class ServeMockSettingsTest {
    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(new ServeMockSettings(
                Defaults.model(),
                Defaults.hardware(),
                Defaults.profile(),
                Defaults.engine(),
                Defaults.profiling(),
                new PredictorSettings.Auto(),
                Defaults.scheduler(),
                Defaults.cluster(),
                Defaults.online(),
                Defaults.server()));
    }

    @Test
    void bindsEveryKey() {
        SettingsContract.assertEveryKeyNonDefault(new ServeMockSettings(
                EveryKey.model(),
                EveryKey.hardware(),
                EveryKey.profile(),
                EveryKey.engine(),
                EveryKey.profiling(),
                EveryKey.predictor(),
                EveryKey.scheduler(),
                EveryKey.cluster(),
                EveryKey.online(),
                EveryKey.server()));
    }
}
