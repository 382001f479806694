package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How the attention of several chunks in a batch adds up. */
class SumPrefillsTest {
    /** Nothing but prefill attention takes time: a millisecond for each token of a chunk. */
    private record OneMillisecondAToken() implements OperatorTimes {
        @Override
        public double milliseconds(Operator operator, int count) {
            return 0;
        }

        @Override
        public double decodeMilliseconds(int batch, int kvTokens) {
            return 0;
        }

        @Override
        public double prefillMilliseconds(int kvTokens, int chunkTokens) {
            return chunkTokens;
        }

        @Override
        public Coverage coverage() {
            return new Coverage(1000, 10, 1000, 1000, 1);
        }
    }

    private static double seconds(boolean sum) {
        ModelShape model = ModelShape.evenHeads(1, 2, 2, 16, 32, true, true);
        ClusterSpec cluster = new ClusterSpec(1, 1, 1, 1, 1, 0.1, GlobalPolicy.ROUND_ROBIN, 0);
        SchedulerSpec scheduler = new SchedulerSpec.Vllm(new SchedulerSpec.Limits(8, 16, 0, 0), 1000);
        TimingSpec timing = new TimingSpec(0, 0, 0, 0, sum, false, 0);
        ServingSpec spec = new ServingSpec(model, Optional.empty(), cluster, scheduler, timing, 500, 0, false);
        RequestTrace trace = new RequestTrace(new double[2], new int[] {300, 400}, new int[] {1, 1});
        return ServingSimulator.run(spec, trace, new OneMillisecondAToken())
                .states()
                .completedAt(1);
    }

    @Test
    void eachChunkTakesItsOwnTimeOrAllAreOne() {
        assertThat(seconds(true)).isCloseTo(0.700, within(1e-9));
        assertThat(seconds(false)).isCloseTo(0.500, within(1e-9)); // as many pairs as one chunk of 500
    }
}
