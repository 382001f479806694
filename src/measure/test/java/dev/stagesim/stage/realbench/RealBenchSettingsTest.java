package dev.stagesim.stage.realbench;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RealBenchSettingsTest {
    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(Defaults.of(
                RealBenchSettings.class,
                Map.of("suite", new SuiteSettings(SuiteSettings.Values.TABLE), "scheduler", Defaults.sarathi())));
    }

    @Test
    void bindsEveryKey() {
        SettingsContract.assertEveryKeyNonDefault(EveryKey.of(
                RealBenchSettings.class,
                Map.of("compat", CompatMode.VIDUR, "suite", new SuiteSettings(SuiteSettings.Values.PROGRAM))));
    }
}
