package dev.stagesim.sim.serving;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.LayerCache;
import dev.stagesim.sim.serving.policy.Acceptance;
import dev.stagesim.sim.serving.policy.VllmSettings;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.settings.SchedulePolicy;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

final class EngineSimulatorTest {
    private static SchedulerSpec.VllmV1 engine(
            int seqs, int batched, long blocks, boolean isAsync, boolean caches, Speculation speculation) {
        return VllmFixtures.engine(
                VllmFixtures.settings(seqs, batched, Map.of("asyncScheduling", isAsync, "speculation", speculation)),
                blocks,
                Map.of("cachesPrefixes", caches, "acceptance", Acceptance.of(List.of(0.6))));
    }

    private static ServingSpec spec(SchedulerSpec scheduler, int replicas, int stages) {
        return ServingFixtures.spec(VllmFixtures.onStages(scheduler, stages), replicas, stages, false);
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

    /** Records every token. */
    private static final class TokenTimes implements ServingRecorder {
        private final List<List<Double>> times = new ArrayList<>();
        private double last;

        TokenTimes(int requests) {
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
            advance(time);
        }

        @Override
        public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
            advance(time);
        }

        @Override
        public void stageEnded(Batch batch, int stage, double time, double total, double model) {
            advance(time);
        }

        @Override
        public void memorySample(int replica, double time, long allocated, long total) {
            assertThat(allocated).isBetween(0L, total);
            advance(time);
        }

        private void advance(double time) {
            assertThat(time).as("times never go back").isGreaterThanOrEqualTo(last);
            last = time;
        }
    }

    @RepeatedTest(24)
    void emitsTokensInOrder(RepetitionInfo repetition) {
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
    void emitsTokensInOrderWithSglang(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        int page = 1 << random.nextInt(5);
        SchedulerSpec engine = new SchedulerSpec.Sglang(
                new SchedulerSpec.Limits(1 + random.nextInt(12), page, 0, (320 + random.nextInt(700)) / page),
                0.9,
                4096,
                true,
                SglangFixtures.settings(Map.ofEntries(
                        entry("chunkedPrefillSize", random.nextInt(4) == 0 ? 0 : 64 + random.nextInt(200)),
                        entry("maxPrefillTokens", 500),
                        entry("pageSize", page),
                        entry("order", SchedulePolicy.values()[random.nextInt(6)]),
                        entry("conservativeness", random.nextBoolean() ? 1 : 0.01),
                        entry("radixCache", random.nextBoolean()),
                        entry("mixedChunk", random.nextBoolean()),
                        entry("overlap", random.nextBoolean()))));
        everyTokenComes(spec(engine, 1 + random.nextInt(2), 1), random);
    }

    private static void everyTokenComes(ServingSpec spec, SplittableRandom random) {
        RequestTrace trace = trace(60, random, request -> Tokens.from(SharedTokens.promptOf(request)));
        TokenTimes tokenTimes = new TokenTimes(60);

        ServingOutcome outcome = ServingSimulator.run(spec, trace, ServingFixtures.flat(), tokenTimes);

        assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
        assertThat(outcome.completed()).isEqualTo(60);
        for (int i = 0; i < 60; i++) {
            assertThat(tokenTimes.times.get(i)).hasSize(trace.decodeTokens(i)).isSorted();
            assertThat(tokenTimes.times.get(i).get(0)).isGreaterThan(trace.arrivalSeconds(i));
            assertThat(outcome.states().completed(i)).isTrue();
            if (spec.cluster().pipelineStages() == 1) {
                assertThat(outcome.states().execution(i))
                        .isLessThanOrEqualTo(outcome.states().completedAt(i) - trace.arrivalSeconds(i) + 1e-9);
            }
        }
    }

    @Test
    void computesASharedPrefixOnce() {
        Tokens.Builder shared = new Tokens.Builder().run(7, 64);
        RequestTrace own = trace(50, new SplittableRandom(1), request -> Tokens.from(SharedTokens.promptOf(request)));
        RequestTrace common = trace(50, new SplittableRandom(1), request -> new Tokens.Builder()
                .part(shared.then(0), 0, 64)
                .then(SharedTokens.outputOf(request)));
        SchedulerSpec engine = engine(16, 256, 400, false, true, Speculation.NONE);

        ServingOutcome alone = ServingSimulator.run(spec(engine, 1, 1), own, ServingFixtures.flat());
        ServingOutcome together = ServingSimulator.run(spec(engine, 1, 1), common, ServingFixtures.flat());

        assertThat(alone.engine().orElseThrow().hitTokens()).isZero();
        // All requests except the first find the 64 shared tokens: four whole blocks, or three if the prompt has
        // exactly 64.
        assertThat(together.engine().orElseThrow().hitTokens()).isBetween(49L * 48, 49L * 64);
        assertThat(together.batchTokens())
                .isEqualTo(alone.batchTokens() - together.engine().orElseThrow().hitTokens());
    }

    /** With acceptance rate a, k draft tokens yield (1 - a^(k+1)) / (1 - a) tokens per step. */
    @Test
    void yieldsTheExpectedTokensWithDrafts() {
        Acceptance even = Acceptance.of(List.of(0.6));
        assertThat(even.tokensPerStep(3)).isCloseTo((1 - Math.pow(0.6, 4)) / (1 - 0.6), within(1e-12));
        assertThat(perStep(Speculation.Method.EAGLE, even)).isCloseTo(even.tokensPerStep(3), within(0.05));

        Acceptance falling = Acceptance.of(List.of(0.9, 0.5, 0.2));
        assertThat(falling.tokensPerStep(3)).isCloseTo(1 + 0.9 + 0.45 + 0.09, within(1e-12));
        assertThat(perStep(Speculation.Method.EAGLE, falling)).isCloseTo(falling.tokensPerStep(3), within(0.05));

        Acceptance lookup = new Acceptance(List.of(0.8), 0.3, List.of());
        assertThat(lookup.tokensPerStep(3)).isCloseTo(1 + 0.3 * (0.8 + 0.64 + 0.512), within(1e-12));
        assertThat(perStep(Speculation.Method.NGRAM, lookup)).isCloseTo(lookup.tokensPerStep(3), within(0.05));

        Acceptance recorded = new Acceptance(List.of(), 1, List.of(List.of(3, 0, 0), List.of(1)));
        assertThat(perStep(Speculation.Method.EAGLE, recorded)).isCloseTo(2, within(0.05));
    }

    /** Returns the average number of tokens per decode step with three draft tokens. */
    private static double perStep(Speculation.Method method, Acceptance acceptance) {
        int count = 40;
        int[] prompts = new int[count];
        int[] outputs = new int[count];
        Arrays.fill(prompts, 20);
        Arrays.fill(outputs, 400);
        SchedulerSpec.VllmV1 engine = with(
                engine(count, 4096, 4000, false, true, Speculation.of(method, 3)),
                acceptance,
                false,
                SchedulerSpec.Lora.NONE,
                List.of());
        long[] decodes = new long[1];
        ServingRecorder steps = new ServingRecorder() {
            @Override
            public Set<Signal> signals() {
                return Set.of(Signal.BATCHES);
            }

            @Override
            public void batchEnded(Batch batch, double time, RequestStates states) {
                decodes[0] += batch.prefillTokens == 0 ? batch.size : 0;
            }
        };

        ServingOutcome outcome = ServingSimulator.run(
                spec(engine, 1, 1),
                new RequestTrace(new double[count], prompts, outputs),
                ServingFixtures.flat(),
                steps);

        assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
        return (double) count * (400 - 1) / decodes[0];
    }

    private static SchedulerSpec.VllmV1 with(
            SchedulerSpec.VllmV1 engine,
            Acceptance acceptance,
            boolean byPriority,
            SchedulerSpec.Lora lora,
            List<LayerCache> layers) {
        VllmSettings settings = KeyRecord.with(
                VllmSettings.class, engine.settings(), Map.of("byPriority", byPriority, "maxLoras", lora.slots()));
        return KeyRecord.with(
                SchedulerSpec.VllmV1.class,
                engine,
                Map.of("acceptance", acceptance, "settings", settings, "lora", lora, "layers", layers));
    }

    /** A step uses at most as many adapters as slots. A load replaces the least recently used slot. */
    @RepeatedTest(20)
    void limitsAdaptersPerStepToSlots(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        int slots = 1 + random.nextInt(4);
        SchedulerSpec.VllmV1 engine = with(
                engine(1 + random.nextInt(20), 256, 400, random.nextBoolean(), true, Speculation.NONE),
                Acceptance.of(List.of()),
                random.nextBoolean(),
                new SchedulerSpec.Lora(slots, 0, 0.5, 0),
                List.of());
        int[] adapters = random.ints(60, 0, 8).toArray();
        RequestTrace trace = trace(60, random, request -> Tokens.from(SharedTokens.promptOf(request)))
                .labelled(request -> adapters[request], request -> request % 3);
        List<Integer> recent = new ArrayList<>();
        long[] loads = new long[1];
        ServingRecorder steps = new ServingRecorder() {
            @Override
            public Set<Signal> signals() {
                return Set.of(Signal.BATCHES);
            }

            @Override
            public void batchScheduled(Batch batch, double time) {
                Set<Integer> used = new LinkedHashSet<>();
                for (int i = 0; i < batch.size; i++) {
                    used.add(adapters[batch.requests[i]]);
                }
                used.remove(0);
                assertThat(used.size()).isLessThanOrEqualTo(slots);
                int cold = 0;
                for (Integer one : used) {
                    cold += recent.contains(one) ? 0 : 1;
                }
                recent.removeAll(used);
                recent.addAll(used);
                while (recent.size() > slots) {
                    recent.remove(0);
                }
                loads[0] += cold;
                assertThat(batch.extraSeconds).isEqualTo(cold * 0.5);
            }
        };

        ServingOutcome outcome = ServingSimulator.run(spec(engine, 1, 1), trace, ServingFixtures.flat(), steps);

        assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
        assertThat(outcome.engine().orElseThrow().adapterLoads())
                .isEqualTo(loads[0])
                .isGreaterThanOrEqualTo(7);
    }

    /** Under overload, urgent requests wait less with priority scheduling, and equally long without it. */
    @Test
    void schedulesUrgentRequestsEarlier() {
        assertThat(waitOfUrgent(true)).isLessThan(0.3);
        assertThat(waitOfUrgent(false)).isBetween(0.8, 1.25);
    }

    /** Returns the mean wait of priority 0 divided by the mean wait of all other requests. */
    private static double waitOfUrgent(boolean byPriority) {
        SchedulerSpec.VllmV1 engine = with(
                engine(4, 256, 400, true, true, Speculation.NONE),
                Acceptance.of(List.of()),
                byPriority,
                SchedulerSpec.Lora.NONE,
                List.of());
        RequestTrace trace = trace(300, new SplittableRandom(3), request -> Tokens.from(SharedTokens.promptOf(request)))
                .labelled(request -> 0, request -> request % 5 == 0 ? 0 : 1);
        ServingOutcome outcome = ServingSimulator.run(spec(engine, 1, 1), trace, ServingFixtures.flat());
        double[] waits = new double[2];
        for (int i = 0; i < 300; i++) {
            waits[trace.priority(i)] +=
                    (outcome.states().scheduledAt(i) - trace.arrivalSeconds(i)) / (trace.priority(i) == 0 ? 60 : 240);
        }
        return waits[0] / waits[1];
    }

    /** All requests of a model with windows, chunks or states complete with any amount of memory. */
    @RepeatedTest(30)
    void completesRequestsWithLayersOfDifferentKinds(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        KvGroup.Kind kind = List.of(KvGroup.Kind.SLIDING_WINDOW, KvGroup.Kind.CHUNKED_LOCAL, KvGroup.Kind.MAMBA)
                .get(random.nextInt(3));
        boolean isState = kind == KvGroup.Kind.MAMBA;
        KvGroup part = new KvGroup(
                kind,
                16,
                isState ? 0 : 16 + random.nextInt(64),
                isState ? KvGroup.States.ALIGN : KvGroup.States.NONE,
                0,
                false,
                isState ? 1 : 0);
        List<LayerCache> layers = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            layers.add(new LayerCache(i % 4 == 3 ? KvGroup.full(16) : part, 1000));
        }
        SchedulerSpec engine = with(
                engine(
                        1 + random.nextInt(12),
                        64 + random.nextInt(200),
                        90 + random.nextInt(200),
                        random.nextBoolean(),
                        true,
                        Speculation.NONE),
                Acceptance.of(List.of()),
                random.nextBoolean(),
                SchedulerSpec.Lora.NONE,
                layers);
        everyTokenComes(spec(engine, 1 + random.nextInt(2), 1), random);
    }
}
