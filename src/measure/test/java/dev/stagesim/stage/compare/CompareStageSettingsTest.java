package dev.stagesim.stage.compare;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CompareStageSettingsTest {
    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(Defaults.of(
                CompareStageSettings.class, Map.of("suite", new SuiteSettings(SuiteSettings.Values.TABLE))));
    }

    @Test
    void bindsEveryKey() {
        SettingsContract.assertEveryKeyNonDefault(EveryKey.of(
                CompareStageSettings.class,
                Map.of("compat", CompatMode.VIDUR, "suite", new SuiteSettings(SuiteSettings.Values.PROGRAM))));
    }
}
