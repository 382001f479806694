package dev.stagesim.measure;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.measure.CompareSettings.Bootstrap;
import dev.stagesim.measure.CompareSettings.Tolerance;
import dev.stagesim.model.ArrivalTime;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.serving.config.SimInput;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CompareSettingsTest {
    private static final Tolerance UNSET = KeyRecord.defaults(Tolerance.class);
    private static final Tolerance ALL = KeyRecord.of(
            Tolerance.class,
            Map.ofEntries(
                    entry("ttftP50Percent", Optional.of(1.0)),
                    entry("ttftP90Percent", Optional.of(2.0)),
                    entry("ttftP99Percent", Optional.of(3.0)),
                    entry("tpotP50Percent", Optional.of(4.0)),
                    entry("tpotP90Percent", Optional.of(5.0)),
                    entry("tpotP99Percent", Optional.of(6.0)),
                    entry("tokenGapP50Percent", Optional.of(7.0)),
                    entry("tokenGapP99Percent", Optional.of(8.0)),
                    entry("e2eP50Percent", Optional.of(9.0)),
                    entry("e2eP90Percent", Optional.of(10.0)),
                    entry("e2eP99Percent", Optional.of(11.0)),
                    entry("normLatencyP50Percent", Optional.of(12.0)),
                    entry("normLatencyP95Percent", Optional.of(13.0)),
                    entry("throughputPercent", Optional.of(14.0)),
                    entry("stepP50Percent", Optional.of(15.0)),
                    entry("direction", Tolerance.Direction.WORSE)));

    record CompareRoot(@Key("Comparison.") CompareSettings compare) {}

    record RealRoot(@Key("Measurement.") RealSettings real) {}

    record SimRoot(@Key("Simulation.") SimInput sim) {}

    @Test
    void bindsDefaultsOfCompare() {
        SettingsContract.assertDefaults(new CompareRoot(new CompareSettings(
                0,
                false,
                false,
                UNSET,
                new Bootstrap(1000, 42),
                200,
                new CompareSettings.Noise(Optional.empty(), Optional.empty()),
                new CompareSettings.Fit(List.of(), 20_000))));
    }

    @Test
    void bindsEveryKeyOfCompare() {
        SettingsContract.assertEveryKeyNonDefault(new CompareRoot(new CompareSettings(
                1,
                true,
                true,
                ALL,
                new Bootstrap(200, 7),
                5,
                new CompareSettings.Noise(Optional.of(true), Optional.of(Path.of("n"))),
                new CompareSettings.Fit(List.of(Path.of("f")), 5))));
    }

    @Test
    void bindsDefaultsOfReal() {
        SettingsContract.assertDefaults(new RealRoot(Defaults.real()));
    }

    @Test
    void bindsEveryKeyOfReal() {
        SettingsContract.assertEveryKeyNonDefault(new RealRoot(new RealSettings(
                "vllm",
                Optional.of(Path.of("a")),
                Optional.of(Path.of("b")),
                Optional.of(2),
                Optional.of(ArrivalTime.SENT),
                0.5,
                true,
                Optional.of(8))));
    }

    @Test
    void bindsEveryKeyOfSim() {
        SettingsContract.assertDefaults(new SimRoot(new SimInput(Optional.empty())));
        SettingsContract.assertEveryKeyNonDefault(new SimRoot(new SimInput(Optional.of(Path.of("s")))));
    }

    @Test
    void namesEachToleranceLikeItsKey() {
        assertThat(UNSET.limits()).isEmpty();
        List<RecordComponent> keys = KeyRecord.components(Tolerance.class);
        assertThat(ALL.limits()).hasSize(keys.size() - 1); // All keys except the direction.
        int i = 0;
        for (String name : ALL.limits().keySet()) {
            String key = (name + "_percent").replace("_", "");
            assertThat(keys.get(i).getName()).isEqualToIgnoringCase(key);
            assertThat(ALL.limits()).containsEntry(name, ++i * 1.0);
        }
    }
}
