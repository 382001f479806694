package dev.stagesim.sim.kernels;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.kernels.GraphCapture.Graph;
import dev.stagesim.sim.kernels.GraphCapture.Kind;
import dev.stagesim.sim.kernels.GraphCapture.Mode;
import dev.stagesim.sim.serving.settings.BatchDefaults;
import java.util.List;
import java.util.Map;
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
        return KeyRecord.of(
                GraphCapture.Settings.class,
                Map.ofEntries(
                        entry("mode", Mode.FULL_AND_PIECEWISE),
                        entry("maxNumSeqs", 256),
                        entry("maxNumBatchedTokens", 8192),
                        entry("drafts", 2),
                        entry("modelRunner", runner),
                        entry("hasLargeGraphs", false),
                        entry("isInteractive", false),
                        entry("userSizes", List.of()),
                        entry("userMax", 0),
                        entry("tensorParallel", 1)));
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
