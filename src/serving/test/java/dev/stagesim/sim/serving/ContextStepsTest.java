package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Each group computes its share of shared prompts, and all decodes. */
final class ContextStepsTest {
    /** Only matrix products take time: 1 ms per token of the device. */
    private record OneMillisecondAToken() implements OperatorTimes {
        @Override
        public double milliseconds(Operator operator, int count) {
            return operator == Operator.MLP_UP_PROJ ? count : 0;
        }

        @Override
        public double decodeMilliseconds(int batch, int kvTokens) {
            return 0;
        }

        @Override
        public double prefillMilliseconds(int kvTokens, int chunkTokens) {
            return 0;
        }

        @Override
        public Coverage coverage() {
            return new Coverage(10_000, 100, 10_000, 10_000, 1);
        }
    }

    private static SchedulerSpec engine(int batched, ContextSharding context) {
        return VllmFixtures.engine(
                VllmFixtures.settings(8, batched, Map.of("asyncScheduling", true)),
                400,
                Map.of("blockSize", 16 * context.ranks(), "contextSharding", context));
    }

    @RepeatedTest(12)
    void takesTheTimeOfTheSharesOfAStep(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        int groups = 1 + random.nextInt(4);
        double[] arrivals = new double[20];
        int[] prompts = new int[20];
        int[] outputs = new int[20];
        for (int i = 0; i < 20; i++) {
            arrivals[i] = i * 0.05;
            prompts[i] = 1 + random.nextInt(300);
            outputs[i] = 1 + random.nextInt(20);
        }
        int[] steps = new int[1];
        ServingRecorder shares = new ServingRecorder() {
            @Override
            public Set<Signal> signals() {
                return EnumSet.of(Signal.BATCHES);
            }

            @Override
            public void stageEnded(Batch batch, int stage, double time, double total, double model) {
                int decodes = batch.totalTokens - batch.prefillTokens;
                int share = (int) Math.ceil(batch.prefillTokens / (double) groups);
                assertThat(batch.step.tokens).isEqualTo(decodes + share);
                assertThat(total).isCloseTo((decodes + share) * 1e-3, within(1e-12));
                steps[0]++;
            }
        };
        SchedulerSpec engine = engine(64 + random.nextInt(400), new ContextSharding(1, groups, 1));
        ServingOutcome outcome = ServingSimulator.run(
                ServingFixtures.spec(engine, 1, 1, false),
                new RequestTrace(arrivals, prompts, outputs),
                new OneMillisecondAToken(),
                shares);
        assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
        assertThat(steps[0]).isGreaterThan(20);
    }
}
