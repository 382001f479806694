package dev.stagesim.stage.astrasim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stagesim.model.StageException;
import dev.stagesim.network.PacketTopologySettings;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class PacketTopologyPlanTest {
    private static final List<Double> RATES = List.of(400.0, 400.0);
    private static final List<Long> DELAYS = List.of(500L, 500L);

    static List<PacketTopologySettings> tooLarge() {
        return List.of(
                new PacketTopologySettings.Star(1_000_001, 1, 400, 500),
                new PacketTopologySettings.LeafSpine(100_000, 1, 100_000, 1, RATES, DELAYS),
                new PacketTopologySettings.FatTree(100_000_000, 20_000, 1, 1, RATES, DELAYS),
                new PacketTopologySettings.Dragonfly(100_000, 100_000, 100_000, 1, 1, RATES, DELAYS),
                new PacketTopologySettings.Torus(List.of(100_000, 100_000), 1, 1, RATES, DELAYS));
    }

    @ParameterizedTest
    @MethodSource("tooLarge")
    void rejectsTopologyWithTooManyCables(PacketTopologySettings settings) {
        StageException refused =
                catchThrowableOfType(StageException.class, () -> new PacketTopologyPlan(Path.of("/")).make(settings));
        assertThat(refused.problems().get(0).what()).contains("cables, expected at most 1,000,000");
    }
}
