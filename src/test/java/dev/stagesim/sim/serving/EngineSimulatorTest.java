package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.policy.QueueOrder;
import dev.stagesim.sim.serving.policy.SglangSettings;
import dev.stagesim.sim.serving.policy.Speculation;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

final class EngineSimulatorTest {
    private static SchedulerSpec.VllmV1 engine(
            int seqs, int batched, long blocks, boolean isAsync, boolean caches, Speculation speculation) {
        return new SchedulerSpec.VllmV1(
                new SchedulerSpec.Limits(seqs, 16, 0, blocks),
                0.9,
                batched,
                0,
                true,
                true,
                isAsync,
                2,
                caches,
                speculation,
                List.of(0.6));
    }

    private static ServingSpec spec(SchedulerSpec scheduler, int replicas, int stages) {
        return ServingFixtures.spec(scheduler, replicas, stages, false);
    }

    private static RequestTrace trace(int count, SplittableRandom random, IntFunction<Tokens> tokens) {
        double[] arrivals = new double[count];
        int[] prompts = new int[count];
        int[] outputs = new int[count];
        double at = 0;
        for (int i = 0; i < count; i++) {
            at += random.nextDouble() * 0.01;
            arrivals[i] = at;
            prompts[i] = 64 + random.nextInt(100);
            outputs[i] = 1 + random.nextInt(30);
        }
        return new RequestTrace(arrivals, prompts, outputs, tokens);
    }

    /** Hears every token. */
    private static final class Heard implements ServingRecorder {
        private final List<List<Double>> times = new ArrayList<>();
        private double last;

        Heard(int requests) {
            for (int i = 0; i < requests; i++) {
                times.add(new ArrayList<>());
            }
        }

        @Override
        public Set<Signal> signals() {
            return EnumSet.allOf(Signal.class);
        }

        @Override
        public void tokenEmitted(int request, int index, double time) {
            assertThat(index).isEqualTo(times.get(request).size());
            times.get(request).add(time);
            hear(time);
        }

        @Override
        public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
            hear(time);
        }

        @Override
        public void stageEnded(Batch batch, int stage, double time, double total, double model) {
            hear(time);
        }

        @Override
        public void memorySample(int replica, double time, long allocated, long total) {
            assertThat(allocated).isBetween(0L, total);
            hear(time);
        }

        private void hear(double time) {
            assertThat(time).as("times never go back").isGreaterThanOrEqualTo(last);
            last = time;
        }
    }

    @RepeatedTest(24)
    void everyTokenOfEveryRequestComesInOrder(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        Speculation speculation =
                random.nextInt(3) == 0 ? Speculation.of(Speculation.Method.EAGLE, 3) : Speculation.NONE;
        int stages = speculation.tokens() > 0 ? 1 : 1 + random.nextInt(2);
        SchedulerSpec engine = engine(
                1 + random.nextInt(12),
                64 + random.nextInt(200),
                20 + random.nextInt(60),
                random.nextBoolean(),
                random.nextBoolean(),
                speculation);
        everyTokenComes(spec(engine, 1 + random.nextInt(2), stages), random);
    }

    @RepeatedTest(24)
    void everyTokenComesInOrderFromSglang(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        int page = 1 << random.nextInt(5);
        SchedulerSpec engine = new SchedulerSpec.Sglang(
                new SchedulerSpec.Limits(1 + random.nextInt(12), page, 0, (320 + random.nextInt(700)) / page),
                0.9,
                4096,
                true,
                new SglangSettings(
                        random.nextInt(4) == 0 ? 0 : 64 + random.nextInt(200),
                        500,
                        page,
                        QueueOrder.Policy.values()[random.nextInt(4)],
                        random.nextBoolean() ? 1 : 0.01,
                        random.nextBoolean(),
                        RadixTree.Eviction.LRU,
                        random.nextBoolean(),
                        random.nextBoolean(),
                        0));
        everyTokenComes(spec(engine, 1 + random.nextInt(2), 1), random);
    }

    private static void everyTokenComes(ServingSpec spec, SplittableRandom random) {
        RequestTrace trace = trace(60, random, request -> Tokens.from(SharedTokens.promptOf(request)));
        Heard heard = new Heard(60);

        ServingOutcome outcome = ServingSimulator.run(spec, trace, ServingFixtures.flat(), heard);

        assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
        for (int i = 0; i < 60; i++) {
            assertThat(heard.times.get(i)).hasSize(trace.decodeTokens(i)).isSorted();
            assertThat(heard.times.get(i).get(0)).isGreaterThan(trace.arrivalSeconds(i));
            assertThat(outcome.states().completed(i)).isTrue();
            if (spec.cluster().pipelineStages() == 1) {
                assertThat(outcome.states().execution(i))
                        .isLessThanOrEqualTo(outcome.states().completedAt(i) - trace.arrivalSeconds(i) + 1e-9);
            }
        }
    }

    @Test
    void aSharedPrefixIsComputedOnce() {
        Tokens.Builder shared = new Tokens.Builder().run(7, 64);
        RequestTrace own = trace(50, new SplittableRandom(1), request -> Tokens.from(SharedTokens.promptOf(request)));
        RequestTrace common = trace(50, new SplittableRandom(1), request -> new Tokens.Builder()
                .part(shared.then(0), 0, 64)
                .then(SharedTokens.outputOf(request)));
        SchedulerSpec engine = engine(16, 256, 400, false, true, Speculation.NONE);

        ServingOutcome alone = ServingSimulator.run(spec(engine, 1, 1), own, ServingFixtures.flat());
        ServingOutcome together = ServingSimulator.run(spec(engine, 1, 1), common, ServingFixtures.flat());

        assertThat(alone.engine().orElseThrow().hitTokens()).isZero();
        // all but the first find the 64 shared tokens: four whole blocks, or three of a prompt of exactly 64
        assertThat(together.engine().orElseThrow().hitTokens()).isBetween(49L * 48, 49L * 64);
        assertThat(together.batchTokens())
                .isEqualTo(alone.batchTokens() - together.engine().orElseThrow().hitTokens());
    }

    /** k drafts that are each right with probability a give (1 - a^(k+1)) / (1 - a) tokens a step. */
    @Test
    void draftsYieldWhatTheFormulaSays() {
        int drafts = 3;
        double right = 0.6;
        int count = 40;
        double[] arrivals = new double[count];
        int[] prompts = new int[count];
        int[] outputs = new int[count];
        for (int i = 0; i < count; i++) {
            prompts[i] = 20;
            outputs[i] = 400;
        }
        SchedulerSpec engine = engine(count, 4096, 4000, false, true, Speculation.of(Speculation.Method.EAGLE, drafts));

        ServingOutcome outcome = ServingSimulator.run(
                spec(engine, 1, 1), new RequestTrace(arrivals, prompts, outputs), ServingFixtures.flat());

        double steps = (double) outcome.engine().orElseThrow().draftTokens() / drafts;
        double perStep = 1 + outcome.engine().orElseThrow().acceptedTokens() / steps;
        assertThat(perStep).isCloseTo((1 - Math.pow(right, drafts + 1)) / (1 - right), within(0.05));
    }
}
