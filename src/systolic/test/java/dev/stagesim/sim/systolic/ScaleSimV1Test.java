package dev.stagesim.sim.systolic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.systolic.spec.Dataflow;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

final class ScaleSimV1Test {
    @RepeatedTest(40)
    void keepsTheUtilizationWithSkippedCycles(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        int rows = 1 + random.nextInt(12);
        int columns = 1 + random.nextInt(12);
        int m = 1 + random.nextInt(40);
        int k = 1 + random.nextInt(30);
        int n = 1 + random.nextInt(40);
        assertThat(ScaleSimV1.utilization(Dataflow.OS, rows, columns, m, k, n))
                .isEqualTo(new ScaleSimV1Utilization(rows, columns, m, k, n).outputStationary(1))
                .isBetween(0.0, 100.0);
    }

    /** Sums the folds of stationary weights in order. */
    @RepeatedTest(40)
    void matchesTheSumOverAllFolds(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        int rows = 1 + random.nextInt(12);
        int columns = 1 + random.nextInt(12);
        int m = 1 + random.nextInt(40);
        int k = 1 + random.nextInt(30);
        int n = 1 + random.nextInt(90);
        int copies = Math.max(1, rows / k);
        long all = 0;
        double use = 0;
        for (int column = 0; column < n; column += copies * columns) {
            int mapped = Math.min(copies * columns, n - column);
            for (int row = 0; row < k; row += rows) {
                int used = Math.min(rows, k - row);
                int windows = (mapped + columns - 1) / columns;
                int cycles = k > rows ? 2 * used + m + mapped : windows * k + (windows > 1 ? columns : mapped) + k + m;
                all += cycles;
                use += used * mapped / ((double) rows * columns) * cycles;
            }
        }
        assertThat(ScaleSimV1.cycles(Dataflow.WS, rows, columns, m, k, n)).isEqualTo(all);
        assertThat(ScaleSimV1.utilization(Dataflow.WS, rows, columns, m, k, n)).isEqualTo(use / all * 100);
    }

    @Test
    void countsLargeProductsWithoutALoopOverFolds() {
        int large = 1 << 30;
        assertThat(ScaleSimV1.cycles(Dataflow.WS, 1, 1, 1, large, 64)).isEqualTo(64L * large * 4);
        assertThat(ScaleSimV1.cycles(Dataflow.IS, 1, 1, 64, large, 1)).isEqualTo(64L * large * 3);
        assertThat(ScaleSimV1.utilization(Dataflow.WS, 1, 1, 1, large, 64)).isEqualTo(100);
    }
}
