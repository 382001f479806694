package dev.stagesim.settings;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.model.Key;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SimulationSettingsTest {
    record Root(@Key(doc = "Simulation.") SimulationSettings simulation) {}

    record ClusterRoot(@Key(doc = "Cluster.") ClusterSettings cluster) {}

    @Test
    void defaults() {
        SettingsContract.assertDefaults(new Root(new SimulationSettings(
                Optional.empty(),
                Optional.empty(),
                new SimulationSettings.Overheads(0.1, 0.1, 0.02, 0, false),
                true,
                true,
                50_000,
                new SimulationSettings.Metrics(Optional.empty(), Optional.empty(), false, false, Optional.empty()),
                true)));
        SettingsContract.assertDefaults(new ClusterRoot(new ClusterSettings(
                1, 1, 1, 0.1, Optional.empty(), ClusterSettings.GlobalScheduler.ROUND_ROBIN, Optional.empty())));
    }

    @Test
    void everyKey() {
        SettingsContract.assertEveryKeyNonDefault(new Root(new SimulationSettings(
                Optional.of(2.5),
                Optional.of(100),
                new SimulationSettings.Overheads(0.2, 0.3, 0.04, 0.5, true),
                false,
                false,
                7,
                new SimulationSettings.Metrics(Optional.of(1L), Optional.of(2L), true, true, Optional.of(3)),
                false)));
        SettingsContract.assertEveryKeyNonDefault(new ClusterRoot(new ClusterSettings(
                2, 4, 8, 0.2, Optional.of(40.0), ClusterSettings.GlobalScheduler.RANDOM, Optional.of(7L))));
    }
}
