package dev.stagesim.stage.vidursim;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.workload.CompatMode;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VidurSimSettingsTest {
    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(Defaults.of(VidurSimSettings.class, Map.of()));
    }

    @Test
    void bindsEveryKey() {
        SettingsContract.assertEveryKeyNonDefault(
                EveryKey.of(VidurSimSettings.class, Map.of("compat", CompatMode.VIDUR)));
    }
}
