package dev.stagesim.measure;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.model.Key;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.config.SimulationSettings;
import org.junit.jupiter.api.Test;

final class SimulationSettingsTest {
    record Root(@Key("Simulation.") SimulationSettings simulation) {}

    record ClusterRoot(@Key("Cluster.") ClusterSettings cluster) {}

    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(new Root(Defaults.simulation()));
        SettingsContract.assertDefaults(new ClusterRoot(Defaults.cluster()));
    }

    @Test
    void bindsEveryKey() {
        SettingsContract.assertEveryKeyNonDefault(new Root(EveryKey.simulation()));
        SettingsContract.assertEveryKeyNonDefault(new ClusterRoot(EveryKey.cluster()));
    }
}
