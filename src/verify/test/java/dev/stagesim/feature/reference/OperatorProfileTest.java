package dev.stagesim.feature.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.reference.StepClock.Part;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperatorProfileTest {
    private static final OperatorProfile.Grid GRID =
            new OperatorProfile.Grid(List.of(1, 2, 3, 8, 16), List.of(4, 16), List.of(0, 8, 20), List.of(1, 2));

    @Test
    void measuresEverySizeInEachStep() {
        OperatorProfile.Result result = OperatorProfile.measure(
                new ReferenceEngine(Shapes.GATED, 1), EngineClock::monotonic, GRID, 4, 3, (w, d, t) -> {});
        assertThat(result.tokens())
                .extracting(OperatorProfile.TokenTimes::tokens)
                .containsExactly(1, 2, 3, 4, 8, 16);
        assertThat(result.tokens()).allSatisfy(row -> assertThat(row.samples()).hasSize(9));
        assertThat(result.tokens().get(0).samples().get(Part.MLP_UP_PROJ)).hasSize(3 * 3 * 3);
        assertThat(result.tokens().get(4).samples().get(Part.MLP_UP_PROJ)).hasSize(3);
        assertThat(result.attention())
                .extracting(row -> row.batch() + " " + row.chunk() + " " + row.kvTokens())
                .containsExactly(
                        "1 0 1", "1 0 8", "1 0 20", "2 0 1", "2 0 8", "2 0 20", "1 4 0", "1 4 8", "1 4 20", "1 16 0",
                        "1 16 8", "1 16 20");
        assertThat(result.attention())
                .allMatch(row -> Arrays.stream(row.samples()).allMatch(ms -> ms > 0));
        assertThat(result.host()).extracting(OperatorProfile.HostTimes::batch).containsExactly(1, 2);
        assertThat(result.host().get(1).samples())
                .containsOnlyKeys(Part.SCHEDULE, Part.PREPARE_INPUTS, Part.SAMPLER, Part.PROCESS_OUTPUTS);
    }
}
