package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.SharedLayers;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvLayout;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.policy.Acceptance;
import dev.stagesim.sim.serving.policy.LiveRequest;
import dev.stagesim.sim.serving.policy.StepPlan;
import dev.stagesim.sim.serving.policy.StepResult;
import dev.stagesim.sim.serving.policy.VllmV1;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestSpec;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Engines that share experts run steps in lockstep, in waves. */
final class DataParallelWavesTest {
    private static final int BLOCKS = 200;

    /** A step takes 1 ms, plus {@code ownMs} per token of the engine and {@code sharedMs} per token of all engines. */
    private record Sums(double ownMs, double sharedMs, int graph) implements OperatorTimes, SharedLayers {
        @Override
        public double milliseconds(Operator operator, int count) {
            return switch (operator) {
                case MLP_UP_PROJ -> 1 + ownMs * count;
                default -> 0;
            };
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
        public double milliseconds(int max, long all) {
            return sharedMs * all;
        }

        @Override
        public double exchangeMilliseconds(int maxTokens, long all) {
            return 0;
        }

        @Override
        public boolean isGraph(int tokens, boolean hasPrompts) {
            return tokens <= graph;
        }

        @Override
        public Optional<SharedLayers> sharedLayers() {
            return Optional.of(this);
        }

        @Override
        public Coverage coverage() {
            return new Coverage(1 << 20, 1 << 20, 1 << 20, 1 << 20, 16);
        }
    }

    /** Records the times of all tokens. */
    private static final class TokenTimes implements ServingRecorder {
        private final List<List<Double>> times = new ArrayList<>();

        TokenTimes(int requests) {
            for (int i = 0; i < requests; i++) {
                times.add(new ArrayList<>());
            }
        }

        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.TOKENS);
        }

        @Override
        public void tokenEmitted(int request, int index, double time) {
            times.get(request).add(time);
        }
    }

    private static SchedulerSpec.VllmV1 engine(int seqs, int batched, boolean isAsync) {
        return engine(seqs, batched, isAsync, 1);
    }

    private static SchedulerSpec.VllmV1 engine(int seqs, int batched, boolean isAsync, int stages) {
        return VllmFixtures.engine(
                VllmFixtures.settings(seqs, batched, Map.of("asyncScheduling", isAsync, "pipelineStages", stages)),
                BLOCKS,
                Map.of("acceptance", Acceptance.of(List.of(0.6))));
    }

    private static ServingSpec spec(SchedulerSpec engine, int engines, int stages, int group, int interval) {
        ServingSpec spec = ServingFixtures.spec(engine, engines, stages, false);
        return KeyRecord.with(
                ServingSpec.class,
                spec,
                Map.of(
                        "cluster",
                        KeyRecord.with(
                                ClusterSpec.class,
                                spec.cluster(),
                                Map.of("lockStep", group, "prefillInterval", interval))));
    }

    private static ServingSpec spec(SchedulerSpec engine, int engines, int group) {
        return spec(engine, engines, 1, group, 1);
    }

    private static RequestTrace trace(SplittableRandom random, int count, double pace, int copies) {
        double[] arrivals = new double[count * copies];
        int[] prompts = new int[arrivals.length];
        int[] outputs = new int[arrivals.length];
        double at = 0;
        for (int i = 0; i < count; i++) {
            at += random.nextDouble() * pace;
            int prompt = 1 + random.nextInt(150);
            int output = 1 + random.nextInt(40);
            for (int copy = i * copies; copy < (i + 1) * copies; copy++) {
                arrivals[copy] = at;
                prompts[copy] = prompt;
                outputs[copy] = output;
            }
        }
        return new RequestTrace(
                arrivals, prompts, outputs, request -> Tokens.from(SharedTokens.promptOf(request / copies)));
    }

    private static WaveCounters waves(ServingOutcome outcome) {
        return outcome.waves().orElseThrow();
    }

    /** Computes the same waves without events, in a loop over lockstep steps. */
    private static final class Plain {
        private final RequestTrace trace;
        private final Sums times;
        private final int interval;
        private final List<VllmV1> engines = new ArrayList<>();
        private final List<List<Double>> tokens = new ArrayList<>();
        private double now;
        private int arrived;
        private int left;
        private int waves;
        private int counter;
        private int steps;
        private int dummies;
        private double stepSeconds;
        private double waitSeconds;

        Plain(SchedulerSpec.VllmV1 engine, int count, int interval, RequestTrace trace, Sums times) {
            this.interval = interval;
            this.trace = trace;
            this.times = times;
            left = trace.size();
            for (int i = 0; i < count; i++) {
                PagedBlocks cache = new PagedBlocks(KvLayout.single(KvGroup.full(16), BLOCKS, true, 4096));
                engines.add(new VllmV1(
                        engine.settings(), cache, engine.acceptance().drafting(trace.size(), trace::number), null));
            }
            for (int i = 0; i < trace.size(); i++) {
                tokens.add(new ArrayList<>());
            }
        }

        private void arrive() {
            for (; arrived < trace.size() && trace.arrivalSeconds(arrived) <= now; arrived++) {
                engines.get(arrived % engines.size())
                        .add(
                                new RequestSpec(
                                        arrived,
                                        Integer.toString(arrived),
                                        trace.prefillTokens(arrived),
                                        RequestSpec.Output.of(trace.decodeTokens(arrived)),
                                        new RequestSpec.Urgency(0, trace.arrivalSeconds(arrived)),
                                        new RequestSpec.Identity(trace.tokens(arrived), 0, 0, true, List.of())),
                                false);
            }
        }

        void run() {
            boolean isRunning = false;
            while (left > 0) {
                if (!isRunning) {
                    now = Math.max(now, trace.arrivalSeconds(arrived));
                    isRunning = true;
                    waves++;
                    counter = 0;
                }
                arrive();
                step();
                counter++;
                if (counter == 1 || counter % 16 == 0) {
                    isRunning = engines.stream()
                            .anyMatch(engine -> !engine.running().isEmpty() || engine.waitingCount() > 0);
                }
            }
        }

        private void step() {
            List<StepPlan> plans = new ArrayList<>();
            int[] counts = new int[engines.size()];
            Arrays.fill(counts, 1);
            for (int i = 0; i < counts.length; i++) {
                StepPlan plan = new StepPlan();
                if (engines.get(i).hasRequests()) {
                    engines.get(i).schedule(counter % interval != 0, plan);
                }
                plans.add(plan);
                counts[i] = plan.total() == 0 ? 1 : plan.total();
                dummies += plan.total() == 0 ? 1 : 0;
            }
            int max = Arrays.stream(counts).max().orElseThrow();
            boolean isGraph = max <= times.graph();
            double shared = times.sharedMs()
                    * (isGraph ? max * counts.length : Arrays.stream(counts).sum());
            double seconds = (1 + times.ownMs() * max + shared) * 1e-3;
            now += seconds;
            steps++;
            for (int i = 0; i < counts.length; i++) {
                if (plans.get(i).total() > 0) {
                    stepSeconds += seconds;
                    waitSeconds += isGraph ? 0 : times.ownMs() * (max - counts[i]) * 1e-3;
                }
                if (plans.get(i).total() > 0 || plans.get(i).step() > 0) {
                    engines.get(i).update(plans.get(i), new StepResult(), this::output);
                }
            }
        }

        private void output(LiveRequest request, int count) {
            for (int i = 0; i < count; i++) {
                tokens.get(request.spec().index()).add(now);
            }
            left -= request.status() == LiveRequest.Status.LENGTH ? 1 : 0;
        }
    }

    @Test
    void matchesALoopOverSteps() {
        comparePlainLoop(10);
    }

    @Test
    @Tag("long")
    void matchesALoopOverStepsInManyRuns() {
        comparePlainLoop(60);
    }

    private static void comparePlainLoop(int seeds) {
        int paused = 0;
        for (int seed = 0; seed < seeds; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int engines = 2 + random.nextInt(4);
            Sums times = new Sums(
                    random.nextInt(3) * 0.01,
                    random.nextInt(3) * 0.003,
                    random.nextBoolean() ? 8 + random.nextInt(60) : 0);
            SchedulerSpec.VllmV1 engine = engine(1 + random.nextInt(20), 64 + random.nextInt(200), false);
            RequestTrace trace = trace(random, 40, random.nextInt(3) == 0 ? 0.1 : 0.01, 1);
            int interval = 1 + random.nextInt(2) * random.nextInt(9);
            TokenTimes tokenTimes = new TokenTimes(trace.size());

            ServingOutcome outcome =
                    ServingSimulator.run(spec(engine, engines, 1, engines, interval), trace, times, tokenTimes);
            Plain plain = new Plain(engine, engines, interval, trace, times);
            plain.run();

            assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
            for (int i = 0; i < trace.size(); i++) {
                assertThat(tokenTimes.times.get(i))
                        .as("seed %d, request %d", seed, i)
                        .hasSameSizeAs(plain.tokens.get(i));
                for (int token = 0; token < tokenTimes.times.get(i).size(); token++) {
                    assertThat(tokenTimes.times.get(i).get(token))
                            .as("seed %d, request %d, token %d", seed, i, token)
                            .isCloseTo(plain.tokens.get(i).get(token), within(1e-9));
                }
            }
            WaveCounters waves = waves(outcome);
            assertThat(waves.waves()).isEqualTo(plain.waves);
            assertThat(waves.steps()).isEqualTo(plain.steps);
            assertThat(waves.dummies()).isEqualTo(plain.dummies);
            assertThat(waves.stepSeconds()).isCloseTo(plain.stepSeconds, within(1e-9));
            assertThat(waves.waitSeconds()).isCloseTo(plain.waitSeconds, within(1e-9));
            paused += plain.waves > 1 ? 1 : 0;
        }
        assertThat(paused).as("runs with several waves").isGreaterThan(seeds / 6);
    }

    /** With equal requests on all engines, each engine runs as if it were alone. */
    @Test
    void runsEqualEnginesLikeOne() {
        compareEqualEngines(10);
    }

    @Test
    @Tag("long")
    void runsEqualEnginesLikeOneInManyRuns() {
        compareEqualEngines(60);
    }

    private static void compareEqualEngines(int seeds) {
        int compared = 0;
        for (int seed = 0; seed < seeds; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int engines = 2 + random.nextInt(3);
            int stages = 1 + random.nextInt(3);
            Sums times = new Sums(0.01, 0, random.nextInt(2) * 40);
            SchedulerSpec.VllmV1 engine =
                    engine(stages + random.nextInt(20), 64 + random.nextInt(200), random.nextBoolean(), stages);
            RequestTrace trace = trace(new SplittableRandom(seed), 30, 0, 1);
            RequestTrace copies = trace(new SplittableRandom(seed), 30, 0, engines);
            TokenTimes alone = new TokenTimes(trace.size());
            TokenTimes together = new TokenTimes(copies.size());

            ServingSimulator.run(spec(engine, 1, stages, 1, 1), trace, times, alone);
            ServingOutcome outcome =
                    ServingSimulator.run(spec(engine, engines, stages, engines, 1), copies, times, together);

            assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
            assertThat(waves(outcome).waitSeconds()).isCloseTo(0, within(1e-12));
            // Each engine runs a dummy batch in the step in flight after the last request.
            if (waves(outcome).dummies() <= engines) {
                compared++;
                for (int i = 0; i < copies.size(); i++) {
                    assertThat(together.times.get(i))
                            .as("seed %d, request %d", seed, i)
                            .isEqualTo(alone.times.get(i / engines));
                }
            }
        }
        assertThat(compared).as("runs without a dummy before the end").isGreaterThan(seeds / 4);
    }

    /**
     * Steps of 1 ms: three of the first request, dummy batches until the 16th, in which the second request runs, and a
     * third request after the pause.
     */
    @Test
    void endsAWaveInItsFirstOrASixteenthStep() {
        RequestTrace trace = ServingFixtures.trace(
                ServingFixtures.request(0, 10, 3),
                ServingFixtures.request(0.0105, 10, 2),
                ServingFixtures.request(0.0155, 10, 40),
                ServingFixtures.request(1, 10, 1));
        TokenTimes tokenTimes = new TokenTimes(4);

        ServingOutcome outcome =
                ServingSimulator.run(spec(engine(8, 64, false), 2, 2), trace, new Sums(0, 0, 0), tokenTimes);

        assertThat(tokenTimes.times.get(0)).last().satisfies(time -> assertThat(time)
                .isCloseTo(0.003, within(1e-9)));
        assertThat(tokenTimes.times.get(1).get(0)).isCloseTo(0.012, within(1e-9));
        assertThat(tokenTimes.times.get(2).get(0)).isCloseTo(0.017, within(1e-9));
        assertThat(tokenTimes.times.get(2).get(39)).isCloseTo(0.056, within(1e-9));
        assertThat(tokenTimes.times.get(3).get(0)).isCloseTo(1.001, within(1e-9));
        WaveCounters waves = waves(outcome);
        assertThat(waves.waves())
                .as("a request that arrives in the 16th step starts later")
                .isEqualTo(3);
        assertThat(waves.steps()).as("16, 48 and one").isEqualTo(65);
        assertThat(waves.dummies()).isEqualTo(2 * 65 - 3 - 2 - 40 - 1);
        assertThat(waves.stepSeconds()).isCloseTo(0.046, within(1e-9));
    }

    @Test
    void waitsForTheEngineWithMostTokens() {
        RequestTrace trace =
                ServingFixtures.trace(ServingFixtures.request(0, 60, 1), ServingFixtures.request(0, 10, 1));
        TokenTimes tokenTimes = new TokenTimes(2);

        ServingOutcome outcome =
                ServingSimulator.run(spec(engine(8, 64, false), 2, 2), trace, new Sums(0.1, 0.01, 0), tokenTimes);

        assertThat(tokenTimes.times.get(1).get(0)).isCloseTo(0.001 + 0.006 + 0.0007, within(1e-9));
        assertThat(waves(outcome).waitSeconds()).isCloseTo(0.005, within(1e-9));
        assertThat(waves(outcome).stepSeconds()).isCloseTo(2 * 0.0077, within(1e-9));
    }

    /** A request that never fits must not keep the wave running forever. */
    @Test
    void endsTheWaveWhenNoRequestCanRun() {
        RequestTrace trace = ServingFixtures.trace(ServingFixtures.request(0, 16 * BLOCKS, 3));

        ServingOutcome outcome = ServingSimulator.run(spec(engine(8, 64, true), 2, 2), trace, new Sums(0, 0, 0));

        assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.STUCK);
    }

    private static SchedulerSpec.Sglang sglang(boolean overlaps) {
        return new SchedulerSpec.Sglang(
                new SchedulerSpec.Limits(8, 1, 0, 1500),
                0.9,
                4096,
                true,
                SglangFixtures.settings(Map.of("chunkedPrefillSize", 100, "overlap", overlaps)));
    }

    /** Engines of SGLang with the same requests run the steps of one engine, without idle steps. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void runsEqualEnginesOfSglangLikeOne(boolean overlaps) {
        SplittableRandom random = new SplittableRandom(5);
        for (int round = 0; round < 20; round++) {
            long seed = random.nextLong();
            double pace = random.nextDouble() * 0.1;
            RequestTrace one = trace(new SplittableRandom(seed), 30, pace, 1);
            RequestTrace two = trace(new SplittableRandom(seed), 30, pace, 2);
            TokenTimes alone = new TokenTimes(one.size());
            TokenTimes together = new TokenTimes(two.size());
            Sums times = new Sums(0.01, 0, 0);
            ServingSimulator.run(spec(sglang(overlaps), 1, 1), one, times, true, alone);
            ServingOutcome outcome = ServingSimulator.run(spec(sglang(overlaps), 2, 2), two, times, true, together);
            for (int i = 0; i < one.size(); i++) {
                assertThat(together.times.get(2 * i)).isEqualTo(alone.times.get(i));
                assertThat(together.times.get(2 * i + 1)).isEqualTo(alone.times.get(i));
            }
            assertThat(waves(outcome).dummies()).isZero();
        }
    }

    /** An engine of SGLang without requests runs an idle batch beside each batch of another engine, and none alone. */
    @Test
    void runsIdleBatchesBesideOthers() {
        RequestTrace trace = trace(new SplittableRandom(3), 41, 0.02, 1);
        TokenTimes tokens = new TokenTimes(trace.size());
        ServingOutcome outcome =
                ServingSimulator.run(spec(sglang(true), 4, 4), trace, new Sums(0.01, 0.02, 0), true, tokens);
        for (int i = 0; i < trace.size(); i++) {
            assertThat(tokens.times.get(i)).hasSize(trace.decodeTokens(i)).isSorted();
        }
        assertThat(waves(outcome).dummies())
                .isPositive()
                .isLessThan(3 * waves(outcome).steps());
    }
}
