package dev.stagesim.stage.realbench;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.BenchSettings;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import org.junit.jupiter.api.Test;

class RealBenchSettingsTest {
    @Test
    void defaults() {
        SettingsContract.assertDefaults(new RealBenchSettings(
                Defaults.model(),
                Defaults.hardware(),
                Defaults.workload(),
                Defaults.arrival(),
                CompatMode.NONE,
                Defaults.real(),
                Defaults.endpoint(),
                new BenchSettings.None(),
                new SuiteSettings(SuiteSettings.Values.TABLE),
                Defaults.engine(),
                Defaults.scheduler(),
                Defaults.cluster()));
    }

    @Test
    void everyKeyIsBound() {
        SettingsContract.assertEveryKeyNonDefault(new RealBenchSettings(
                EveryKey.model(),
                EveryKey.hardware(),
                EveryKey.workload(),
                EveryKey.arrival(),
                CompatMode.VIDUR,
                EveryKey.real(),
                EveryKey.endpoint(),
                EveryKey.bench(),
                new SuiteSettings(SuiteSettings.Values.PROGRAM),
                EveryKey.engine(),
                EveryKey.scheduler(),
                EveryKey.cluster()));
    }
}
