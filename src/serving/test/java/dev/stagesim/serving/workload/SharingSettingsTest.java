package dev.stagesim.serving.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.model.Key;
import dev.stagesim.serving.workload.SharingSettings.Agents;
import dev.stagesim.serving.workload.SharingSettings.None;
import dev.stagesim.serving.workload.SharingSettings.Prefixes;
import dev.stagesim.serving.workload.SharingSettings.Sessions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SharingSettingsTest {
    record Root(@Key("Sharing.") SharingSettings sharing) {}

    static List<SharingSettings> defaults() {
        return List.of(
                new None(), new Prefixes(8, 512, 1.0, 0), new Sessions(4, 30, 0), new Agents(8, 1024, 512, 0, 2, 0.02));
    }

    static List<SharingSettings> variations() {
        return List.of(
                new None(),
                new Prefixes(3, 64, 0.5, 0.4),
                new Sessions(2, 1.5, 64),
                new Agents(3, 10, 20, 0.5, 1, 0.1));
    }

    @ParameterizedTest
    @MethodSource("defaults")
    void declaresItsDefaults(SharingSettings sharing) {
        SettingsContract.assertDefaults(new Root(sharing));
    }

    @ParameterizedTest
    @MethodSource("variations")
    void bindsEveryKey(SharingSettings sharing) {
        SettingsContract.assertEveryKeyNonDefault(new Root(sharing));
    }

    @Test
    void testsEveryKind() {
        Class<?>[] kinds = SharingSettings.class.getPermittedSubclasses();
        assertThat(defaults()).extracting(Object::getClass).containsExactlyInAnyOrder(kinds);
    }
}
