package dev.stagesim.stage.compare;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.BenchSettings;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import org.junit.jupiter.api.Test;

class CompareStageSettingsTest {
    @Test
    void defaults() {
        SettingsContract.assertDefaults(new CompareStageSettings(
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
                CompatMode.NONE,
                Defaults.real(),
                Defaults.endpoint(),
                new BenchSettings.None(),
                new SuiteSettings(SuiteSettings.Values.TABLE),
                Defaults.sim(),
                Defaults.compare()));
    }

    @Test
    void everyKeyIsBound() {
        SettingsContract.assertEveryKeyNonDefault(new CompareStageSettings(
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
                CompatMode.VIDUR,
                EveryKey.real(),
                EveryKey.endpoint(),
                EveryKey.bench(),
                new SuiteSettings(SuiteSettings.Values.PROGRAM),
                EveryKey.sim(),
                EveryKey.compare()));
    }
}
