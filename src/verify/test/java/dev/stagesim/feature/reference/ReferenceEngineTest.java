package dev.stagesim.feature.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReferenceEngineTest {
    private static final int[] PROMPTS = {1, 7, 16, 33, 20, 5};
    private static final int[] OUTPUTS = {9, 12, 5, 8, 1, 14};
    private static final RequestTrace TRACE = Shapes.at0(PROMPTS, OUTPUTS);

    static List<EngineShape> shapes() {
        return List.of(Shapes.GATED, Shapes.PLAIN, Shapes.NORMED);
    }

    private static EngineOutcome serve(EngineShape shape, long seed, SchedulerSpec scheduler) {
        ServingSpec spec = Shapes.spec(shape, scheduler, 64);
        return new ReferenceEngine(shape, seed).serve(spec, TRACE, EngineClock::monotonic);
    }

    /** Returns the scores of the engine for the token after a sequence, computed in chunks over scattered blocks. */
    private static float[] scores(EngineShape shape, int[] tokens, int... chunks) {
        StepClock clock = new StepClock(() -> 0);
        PagedCache cache = new PagedCache(shape, 4, 40, 3);
        cache.reserve(2, 4);
        Transformer transformer = new Transformer(shape, new Weights(shape, 1), cache, 64, clock);
        StepInput in = new StepInput();
        int cached = 0;
        for (int chunk : chunks) {
            in.clear();
            in.add(0, tokens, cached, chunk, false);
            in.add(1, tokens, cached, chunk, false);
            clock.begin();
            transformer.step(in, new int[2]);
            cached += chunk;
        }
        return transformer.scores(0);
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void matchesDenseAttention(EngineShape shape) {
        int[] tokens = new SplittableRandom(5).ints(29, 0, shape.vocab()).toArray();
        double[] naive = new NaiveModel(shape, 1).logits(tokens, tokens.length);
        float[] paged = scores(shape, tokens, 10, 1, 1, 6, 11);
        for (int i = 0; i < naive.length; i++) {
            assertThat((double) paged[i]).isCloseTo(naive[i], within(2e-4));
        }
        assertThat(scores(shape, tokens, 29)).containsExactly(paged);
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void generatesSameTokensInBatchAndAlone(EngineShape shape) {
        EngineOutcome together = serve(shape, 1, Shapes.sarathi(6, 4, 0, 16));
        EngineOutcome alone = serve(shape, 1, Shapes.sarathi(1, 4, 0, 16));
        assertThat(together.steps()).isLessThan(alone.steps());
        same(together, alone);
    }

    @Test
    void generatesSameTokensWithAnySchedulerAndBlockSize() {
        SchedulerSpec.Limits limits = new SchedulerSpec.Limits(6, 16, 0.01, 0);
        EngineOutcome whole = serve(Shapes.GATED, 1, new SchedulerSpec.Vllm(limits, 512));
        same(whole, serve(Shapes.GATED, 1, Shapes.sarathi(3, 2, 0, 5)));
        same(whole, serve(Shapes.GATED, 1, new SchedulerSpec.Orca(limits)));
        same(whole, serve(Shapes.GATED, 1, new SchedulerSpec.FasterTransformer(limits)));
        SchedulerSpec.Limits single = new SchedulerSpec.Limits(6, 1, 0, 0);
        same(whole, serve(Shapes.GATED, 1, new SchedulerSpec.LightLlm(single, 512, 3)));
    }

    @Test
    void generatesSameTokensWhenRestarted() {
        RequestTrace trace = Shapes.at0(new int[] {8, 7, 6, 5}, new int[] {20, 20, 20, 20});
        ReferenceEngine engine = new ReferenceEngine(Shapes.GATED, 1);
        EngineOutcome ample =
                engine.serve(Shapes.spec(Shapes.GATED, Shapes.sarathi(6, 4, 0, 16), 28), trace, EngineClock::monotonic);
        EngineOutcome scarce = engine.serve(
                Shapes.spec(Shapes.GATED, Shapes.sarathi(6, 4, 10, 16), 28), trace, EngineClock::monotonic);
        assertThat(Arrays.stream(ample.restarts()).sum()).isZero();
        assertThat(Arrays.stream(scarce.restarts()).sum()).isPositive();
        for (int i = 0; i < 4; i++) {
            assertThat(scarce.tokens().get(i)).containsExactly(ample.tokens().get(i));
        }
    }

    @Test
    void generatesTokensThatDependOnSeed() {
        SchedulerSpec scheduler = Shapes.sarathi(6, 4, 0, 16);
        same(serve(Shapes.GATED, 3, scheduler), serve(Shapes.GATED, 3, scheduler));
        assertThat(serve(Shapes.GATED, 4, scheduler).tokens().get(3))
                .isNotEqualTo(serve(Shapes.GATED, 3, scheduler).tokens().get(3));
    }

    @Test
    void recordsMonotonicTokenTimes() {
        EngineOutcome served = serve(Shapes.GATED, 1, Shapes.sarathi(6, 4, 0, 16));
        for (int i = 0; i < OUTPUTS.length; i++) {
            assertThat(served.tokenTimes().get(i)).hasSize(OUTPUTS[i]).isSorted();
        }
        assertThat(served.clock().total(StepClock.Part.MLP_UP_PROJ)).isPositive();
        assertThat(served.clock().count(StepClock.Part.SAMPLER)).isEqualTo(served.steps());
    }

    @Test
    void acceptsRequestsAtTheirArrival() {
        RequestTrace trace = new RequestTrace(new double[] {0.001, 0.004}, new int[] {3, 3}, new int[] {2, 2});
        EngineOutcome served = new ReferenceEngine(Shapes.PLAIN, 1)
                .serve(Shapes.spec(Shapes.PLAIN, Shapes.sarathi(6, 4, 0, 16), 64), trace, EngineClock::processor);
        assertThat(served.tokenTimes().get(0)[0]).isGreaterThan(1_000_000);
        assertThat(served.tokenTimes().get(1)[0]).isGreaterThan(4_000_000);
    }

    private static void same(EngineOutcome a, EngineOutcome b) {
        for (int i = 0; i < OUTPUTS.length; i++) {
            assertThat(b.tokens().get(i))
                    .as("request %d", i)
                    .containsExactly(a.tokens().get(i));
        }
    }
}
