package dev.stagesim.stage.vidurprofile;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import org.junit.jupiter.api.Test;

class VidurProfileSettingsTest {
    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(
                new VidurProfileSettings(Defaults.model(), Defaults.hardware(), Defaults.profile(), Defaults.engine()));
    }

    @Test
    void bindsEveryKey() {
        SettingsContract.assertEveryKeyNonDefault(
                new VidurProfileSettings(EveryKey.model(), EveryKey.hardware(), EveryKey.profile(), EveryKey.engine()));
    }
}
