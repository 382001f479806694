package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.ModelShape;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Times of several prefill chunks in one batch. */
class SumPrefillsTest {
    /**
     * Only prefill attention takes time: 1 ms per token of a chunk.
     *
     * @param added share of this time that a chunk adds to a kernel of several chunks, after 10 ms; 1 for separate kernels
     */
    private record OneMillisecondAToken(double added) implements OperatorTimes {
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
        public double addedPrefillMilliseconds(int kvTokens, int chunkTokens) {
            return added * chunkTokens;
        }

        @Override
        public double prefillKernelMilliseconds() {
            return added == 1 ? 0 : 10;
        }

        @Override
        public Coverage coverage() {
            return new Coverage(1000, 10, 1000, 1000, 1);
        }
    }

    private static double seconds(boolean sum) {
        return seconds(sum, 1);
    }

    private static double seconds(boolean sum, double added) {
        ModelShape model = ModelShape.evenHeads(1, 2, 2, 16, 32, true, true);
        ClusterSpec cluster = new ClusterSpec(1, 1, 1, 1, 1, 0.1, GlobalPolicy.ROUND_ROBIN, 0);
        SchedulerSpec scheduler = new SchedulerSpec.Vllm(new SchedulerSpec.Limits(8, 16, 0, 0), 1000);
        TimingSpec timing = new TimingSpec(0, 0, 0, 0, sum, false, 0, 0);
        ServingSpec spec =
                new ServingSpec(model, Optional.empty(), cluster, scheduler, timing, 500, 0, VidurQuirk.NONE);
        RequestTrace trace = new RequestTrace(new double[2], new int[] {300, 400}, new int[] {1, 1});
        return ServingSimulator.run(spec, trace, new OneMillisecondAToken(added))
                .states()
                .completedAt(1);
    }

    /** One kernel computes both prompts, in the time of the longer one if they do not fill the device. */
    @Test
    void computesSeveralPromptsInOneKernel() {
        assertThat(seconds(true, 0.25)).isCloseTo(0.4, within(1e-9));
        assertThat(seconds(true, 0.75)).isCloseTo(0.535, within(1e-9));
    }

    /**
     * Two prompts of 800 tokens have as many pairs as one chunk of 1131 tokens, which exceeds the table. Each prompt
     * alone is covered.
     */
    @Test
    void coversSeveralLongPromptsIfEachIsCovered() {
        assertThat(ending(false)).isEqualTo(ServingOutcome.Ending.FINISHED);
        assertThat(ending(true)).isEqualTo(ServingOutcome.Ending.NOT_COVERED);
    }

    private static ServingOutcome.Ending ending(boolean quirks) {
        ModelShape model = ModelShape.evenHeads(1, 2, 2, 16, 32, true, true);
        ClusterSpec cluster = new ClusterSpec(1, 1, 1, 1, 1, 0.1, GlobalPolicy.ROUND_ROBIN, 0);
        SchedulerSpec scheduler = new SchedulerSpec.Vllm(new SchedulerSpec.Limits(8, 16, 0, 0), 4000);
        TimingSpec timing = new TimingSpec(0, 0, 0, 0, false, false, 0, 0);
        ServingSpec spec = new ServingSpec(
                model,
                Optional.empty(),
                cluster,
                scheduler,
                timing,
                900,
                0,
                quirks ? VidurQuirk.VIDUR : VidurQuirk.NONE);
        RequestTrace trace = new RequestTrace(new double[2], new int[] {800, 800}, new int[] {1, 1});
        ServingOutcome outcome = ServingSimulator.run(spec, trace, new Covered(quirks));
        if (!quirks) {
            assertThat(outcome.states().completedAt(1)).isCloseTo(1.6, within(1e-9));
        }
        return outcome.ending();
    }

    /** Rejects chunks beyond the coverage. */
    private record Covered(boolean any) implements OperatorTimes {
        private static final OneMillisecondAToken TIMES = new OneMillisecondAToken(1);

        @Override
        public double milliseconds(Operator operator, int count) {
            return TIMES.milliseconds(operator, count);
        }

        @Override
        public double decodeMilliseconds(int batch, int kvTokens) {
            return TIMES.decodeMilliseconds(batch, kvTokens);
        }

        @Override
        public double prefillMilliseconds(int kvTokens, int chunkTokens) {
            if (chunkTokens > 1000) {
                throw dev.stagesim.model.StageException.input(
                        dev.stagesim.model.Problem.of("prediction error", "attn_prefill", "outside"));
            }
            return TIMES.prefillMilliseconds(kvTokens, chunkTokens);
        }

        @Override
        public Coverage coverage() {
            return TIMES.coverage();
        }
    }

    /** A thousand requests over a million cached tokens, at a granularity of one token, exceed the size of an array. */
    @Test
    void skipsTablesThatExceedAnArray() {
        OperatorTimes wide = new OperatorTimes() {
            @Override
            public double milliseconds(Operator operator, int count) {
                return operator == Operator.MLP_UP_PROJ ? 1 : 0;
            }

            @Override
            public double decodeMilliseconds(int batch, int kvTokens) {
                return kvTokens;
            }

            @Override
            public double prefillMilliseconds(int kvTokens, int chunkTokens) {
                return 0;
            }

            @Override
            public Coverage coverage() {
                return new Coverage(1 << 20, 4096, 1 << 20, 1 << 20, 1);
            }
        };
        int requests = 2500;
        int[] prompts = new int[requests];
        int[] outputs = new int[requests];
        java.util.Arrays.fill(prompts, 4);
        java.util.Arrays.fill(outputs, 3);
        ServingSpec spec = ServingFixtures.spec(
                new SchedulerSpec.Vllm(ServingFixtures.limits(4096, 16, 0, 100_000), 1 << 20), 1, 1, false);
        ServingOutcome outcome =
                ServingSimulator.run(spec, new RequestTrace(new double[requests], prompts, outputs), wide);
        assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
        // One step for the prompts, then two steps with 5 and 6 cached tokens per request.
        assertThat(outcome.endSeconds()).isCloseTo(1e-3 + 6e-3 + 7e-3, within(1e-9));
    }

    @Test
    void addsChunksOrCombinesThem() {
        assertThat(seconds(true)).isCloseTo(0.700, within(1e-9));
        assertThat(seconds(false)).isCloseTo(0.500, within(1e-9)); // As many pairs as one chunk of 500 tokens.
    }
}
