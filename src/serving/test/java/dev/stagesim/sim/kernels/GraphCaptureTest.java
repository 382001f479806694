package dev.stagesim.sim.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.kernels.GraphCapture.Graph;
import dev.stagesim.sim.kernels.GraphCapture.Kind;
import dev.stagesim.sim.kernels.GraphCapture.Mode;
import dev.stagesim.sim.serving.policy.BatchDefaults;
import java.util.List;
import org.junit.jupiter.api.Test;

final class GraphCaptureTest {
    /**
     * The second model runner checks only the next larger size, so four decodes of three tokens miss the graph of 18.
     */
    @Test
    void checksOnlyTheNextGraphWithTheSecondRunner() {
        GraphCapture first = new GraphCapture(settings(1));
        GraphCapture second = new GraphCapture(settings(2));
        assertThat(first.choose(12, 4, true)).isEqualTo(new Graph(Kind.FULL, 18, 6));
        assertThat(second.choose(12, 4, true)).isEqualTo(new Graph(Kind.PIECEWISE, 16, 0));
        assertThat(second.choose(513, 171, true)).isEqualTo(new Graph(Kind.NONE, 513, 0));
    }

    private static GraphCapture.Settings settings(int runner) {
        return new GraphCapture.Settings(Mode.FULL_AND_PIECEWISE, 256, 8192, 2, runner, false, false, List.of(), 0, 1);
    }

    @Test
    void limitsDefaultsByTheSequenceLength() {
        assertThat(new BatchDefaults(8192, 1024).clamped(4096, true, false, false))
                .isEqualTo(new BatchDefaults(8192, 1024));
        assertThat(new BatchDefaults(2048, 256).clamped(32768, false, false, true))
                .isEqualTo(new BatchDefaults(32768, 512));
        assertThat(new BatchDefaults(8192, 1024).clamped(4, true, true, false)).isEqualTo(new BatchDefaults(256, 256));
    }
}
