package dev.stagesim.sim.serving.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.policy.DataParallelWaves.Turn;
import dev.stagesim.sim.serving.policy.GraphCapture.Graph;
import dev.stagesim.sim.serving.policy.GraphCapture.Kind;
import dev.stagesim.sim.serving.policy.GraphCapture.Mode;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DataParallelTest {
    @Test
    void aWaveEndsAtTheNextQuestionOnly() {
        DataParallelWaves waves = new DataParallelWaves(1);
        assertThat(waves.turn(false)).isEqualTo(Turn.IDLE);
        waves.request();
        int dummies = 0;
        waves.stepped(true);
        while (waves.isRunning()) {
            assertThat(waves.turn(true)).isEqualTo(Turn.BATCH);
            assertThat(waves.turn(false)).isEqualTo(Turn.DUMMY);
            waves.stepped(false);
            dummies++;
        }
        assertThat(dummies).isEqualTo(31);
        assertThat(waves.wave()).isEqualTo(1);
    }

    @Test
    void promptsArePutOffBetweenReleaseSteps() {
        DataParallelWaves waves = new DataParallelWaves(3);
        waves.request();
        StringBuilder throttled = new StringBuilder();
        for (int i = 0; i < 7; i++) {
            throttled.append(waves.throttles() ? 'x' : '.');
            waves.stepped(true);
        }
        assertThat(throttled).hasToString(".xx.xx.");
    }

    @Test
    void ranksArePaddedTogetherOrNotAtAll() {
        Graph four = new Graph(Kind.FULL, 4, 4);
        Graph eight = new Graph(Kind.PIECEWISE, 8, 0);
        Graph eager = new Graph(Kind.NONE, 600, 0);
        assertThat(DataParallelWaves.pad(new Graph[] {four, eight}, new int[] {3, 7}))
                .containsExactly(8, 8);
        assertThat(DataParallelWaves.pad(new Graph[] {four, eager}, new int[] {3, 600}))
                .containsExactly(3, 600);
    }

    /** Only the next size of the second runner is looked at: four decodes of three tokens miss the graph of 18. */
    @Test
    void theSecondRunnerLooksAtTheNextGraphOnly() {
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
    void defaultsStayWithinWhatASequenceAllows() {
        assertThat(new BatchDefaults(8192, 1024).clamped(4096, true, false, false))
                .isEqualTo(new BatchDefaults(8192, 1024));
        assertThat(new BatchDefaults(2048, 256).clamped(32768, false, false, true))
                .isEqualTo(new BatchDefaults(32768, 512));
        assertThat(new BatchDefaults(8192, 1024).clamped(4, true, true, false)).isEqualTo(new BatchDefaults(256, 256));
        assertThat(BatchDefaults.ofCpu(4, BatchDefaults.Use.SERVER)).isEqualTo(new BatchDefaults(8192, 512));
    }
}
