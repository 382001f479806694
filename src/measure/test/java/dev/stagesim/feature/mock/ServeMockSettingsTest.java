package dev.stagesim.feature.mock;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServeMockSettingsTest {
    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(Defaults.of(ServeMockSettings.class, Map.of()));
    }

    @Test
    void bindsEveryKey() {
        SettingsContract.assertEveryKeyNonDefault(EveryKey.of(ServeMockSettings.class, Map.of()));
    }
}
