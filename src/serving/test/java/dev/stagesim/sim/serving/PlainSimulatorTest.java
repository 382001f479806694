package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.ServingOutcome.Ending;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.OutOfBlocksException;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.Footprint;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.ModelShape;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The kernel matches the second implementation bit for bit and in the same order. */
class PlainSimulatorTest {
    /** Writes the log in the format of {@link PlainSimulator}. */
    record Log(List<String> lines) implements ServingRecorder {
        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.TOKENS, Signal.BATCHES, Signal.MEMORY);
        }

        @Override
        public void requestAssigned(int request, int replica, double time) {
            lines.add("assigned " + request + " " + replica);
        }

        @Override
        public void requestCompleted(int request, double time, RequestStates states) {
            lines.add("done " + request);
        }

        @Override
        public void requestRestarted(int request, double time) {
            lines.add("restart " + request);
        }

        @Override
        public void batchScheduled(Batch batch, double time) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < batch.size; i++) {
                text.append(' ').append(batch.requests[i]).append(':').append(batch.tokens[i]);
            }
            lines.add("batch " + batch.id + " on " + batch.replica + text);
        }

        @Override
        public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
            lines.add("stage " + stage + " of " + batch.id + " " + mfuPercent);
        }

        @Override
        public void requestWithdrawn(int request, double time) {
            lines.add("withdrawn " + request);
        }

        @Override
        public void prefillCompleted(int tokens, double time) {
            lines.add("prompt " + tokens);
        }

        @Override
        public void decodeLatency(double seconds, double time) {
            lines.add("latency " + seconds);
        }

        @Override
        public void tokenEmitted(int request, int index, double time) {
            lines.add("token " + request + " " + index + " " + time);
        }

        @Override
        public void memorySample(int replica, double time, long allocated, long total) {
            lines.add("memory " + replica + " " + allocated);
        }

        @Override
        public void queueSample(int replica, double time, int waiting) {
            lines.add(lines.remove(lines.size() - 1) + " waiting " + waiting);
        }
    }

    /** Subscribes to every event, so that no event is skipped. */
    record Events() implements ServingRecorder {
        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.EVENTS);
        }
    }

    /** Receives the times between tokens in bulk. */
    private record Latencies(List<Double> values) implements ServingRecorder {
        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.LATENCIES);
        }

        @Override
        public void decodeLatencies(double seconds, int count, double time) {
            assertThat(count).isPositive();
            values.addAll(Collections.nCopies(count, seconds));
        }
    }

    /** Times in random order; in some runs, steps take no time. */
    record Scattered(int seed, boolean instant, int maxChunk) implements OperatorTimes {
        private double of(int what, int a, int b) {
            return instant && (a + b) % 3 > 0
                    ? 0
                    : new SplittableRandom(seed + 31L * (what + 31L * (a + 997L * b))).nextDouble();
        }

        @Override
        public double milliseconds(Operator operator, int count) {
            return of(operator.ordinal(), count, 0);
        }

        @Override
        public double decodeMilliseconds(int batch, int kvTokens) {
            return of(Operator.ATTN_DECODE.ordinal(), batch, kvTokens);
        }

        @Override
        public double prefillMilliseconds(int kvTokens, int chunkTokens) {
            return of(Operator.ATTN_PREFILL.ordinal(), kvTokens, chunkTokens);
        }

        @Override
        public Coverage coverage() {
            return new Coverage(1 << 20, 1024, 1 << 16, maxChunk, 8);
        }
    }

    private static SchedulerSpec scheduler(int kind, SplittableRandom random) {
        int cap = 1 + random.nextInt(12);
        int block = kind == 4 ? 1 : 1 + random.nextInt(6);
        int tokens = 60 + random.nextInt(200);
        long blocks = kind == 2 || kind == 3 ? 4096L * (1 + random.nextInt(8)) / block : 1 + tokens / block;
        double watermark = random.nextBoolean() ? 0 : 0.05;
        SchedulerSpec.Limits limits = ServingFixtures.limits(cap, block, watermark, blocks);
        return switch (kind) {
            case 0 -> new SchedulerSpec.Vllm(limits, 40 + random.nextInt(100));
            case 1 -> new SchedulerSpec.Sarathi(limits, 2 + random.nextInt(40));
            case 2 -> new SchedulerSpec.Orca(limits);
            case 3 -> new SchedulerSpec.FasterTransformer(limits);
            default -> new SchedulerSpec.LightLlm(limits, 40 + random.nextInt(100), random.nextInt(5));
        };
    }

    static ServingSpec spec(int kind, SplittableRandom random) {
        int stages = kind == 4 ? 1 : 1 + random.nextInt(3);
        int heads = 4;
        return new ServingSpec(
                ModelShape.evenHeads(2 * stages, heads, random.nextBoolean() ? heads : 2, 16, 16, true, true),
                random.nextBoolean()
                        ? Optional.empty()
                        : Optional.of(new Footprint(
                                9_000_001, 1 + random.nextInt(9_000_000), 64, 18_000_002, random.nextBoolean())),
                new ClusterSpec(
                        1 + random.nextInt(3),
                        1 + random.nextInt(2),
                        stages,
                        80,
                        312,
                        0.1,
                        GlobalPolicy.values()[random.nextInt(3)],
                        random.nextInt(99)),
                scheduler(kind, random),
                new TimingSpec(
                        0.1,
                        0.2,
                        0.02,
                        0.01,
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextBoolean() ? 0 : random.nextInt(30) * 0.0013,
                        0),
                4096,
                random.nextInt(4) == 0 ? 0.05 : 0,
                random.nextBoolean() ? VidurQuirk.VIDUR : VidurQuirk.NONE);
    }

    static RequestTrace trace(SplittableRandom random) {
        double[][] rows = new double[1 + random.nextInt(40)][];
        double time = random.nextInt(2);
        int pace = 1 + random.nextInt(20);
        for (int i = 0; i < rows.length; i++) {
            time += random.nextInt(pace) * 0.0013;
            rows[i] = ServingFixtures.request(time, 1 + random.nextInt(40), 1 + random.nextInt(25));
        }
        return ServingFixtures.trace(rows);
    }

    private static boolean agree(int kind, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ServingSpec spec = spec(kind, random);
        RequestTrace trace = trace(random);
        OperatorTimes times = times(seed, random);
        PlainSimulator plain = new PlainSimulator(spec, trace, times);
        boolean went = plain.run();
        Log log = new Log(new ArrayList<>());
        Latencies latencies = new Latencies(new ArrayList<>());
        ServingOutcome outcome = ServingSimulator.run(spec, trace, times, log, latencies);
        String what = spec.toString();
        Log eventful = new Log(new ArrayList<>());
        ServingOutcome byEvents = ServingSimulator.run(spec, trace, times, eventful, new Events());
        assertThat(eventful.lines).as(what).isEqualTo(log.lines);
        assertThat(byEvents.eventCounts()).as(what).isEqualTo(outcome.eventCounts());
        assertThat(log.lines).as(what).isEqualTo(plain.log);
        assertThat(latencies.values.stream().sorted())
                .as(what)
                .containsExactlyElementsOf(log.lines.stream()
                        .filter(line -> line.startsWith("latency "))
                        .map(line -> Double.valueOf(line.substring("latency ".length())))
                        .sorted()
                        .toList());
        assertThat(outcome.ending() == Ending.OUT_OF_BLOCKS).as(what).isEqualTo(!went);
        assertThat(outcome.endSeconds()).as(what).isEqualTo(plain.now);
        for (PlainRequest request : plain.requests) {
            assertThat(PlainRequest.figures(outcome.states(), request.id))
                    .as(what)
                    .isEqualTo(request.figures());
        }
        return outcome.restarts() > 0;
    }

    static OperatorTimes times(int seed, SplittableRandom random) {
        return new Scattered(seed, random.nextInt(8) == 0, random.nextInt(3) == 0 ? 45 : 1 << 20);
    }

    /** The arrival or cancellation of a request. */
    private record Action(double time, PlainRequest request, boolean gives) {}

    private static List<Action> actions(RequestTrace trace, SplittableRandom random) {
        List<Action> actions = new ArrayList<>();
        for (int i = 0; i < trace.size(); i++) {
            double at = trace.arrivalSeconds(i);
            PlainRequest request = new PlainRequest(i, at, trace.prefillTokens(i), trace.decodeTokens(i));
            actions.add(new Action(at, request, false));
            for (int again = random.nextInt(3); again > 0; again--) {
                double wait = random.nextInt(4) == 0 ? random.nextInt(3) * 0.0013 : random.nextDouble();
                actions.add(new Action(at + wait, request, true));
            }
        }
        actions.sort(Comparator.comparingDouble(
                Action::time)); // A stable sort keeps the arrival of a request before its cancellation.
        return actions;
    }

    /** Runs one mix with random cancellations. Returns the number of requests that left with a batch in progress. */
    private static int agreeOnWithdrawals(int kind, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ServingSpec drawn = spec(kind, random);
        ServingSpec spec = new ServingSpec(
                drawn.model(),
                drawn.footprint(),
                drawn.cluster(),
                drawn.scheduler(),
                drawn.timing(),
                drawn.maxTokens(),
                0,
                drawn.accidents());
        RequestTrace trace = trace(random);
        OperatorTimes times = times(seed, random);
        List<Action> actions = actions(trace, random);
        PlainSimulator plain = new PlainSimulator(spec, times);
        Log log = new Log(new ArrayList<>());
        OnlineServing online = new OnlineServing(spec, times, trace.size(), () -> 1.0, log);
        boolean went = ends(() -> {
            for (Action action : actions) {
                if (action.gives) {
                    plain.withdraw(action.request, action.time);
                } else {
                    plain.submit(action.request);
                }
            }
            plain.advanceBefore(Double.POSITIVE_INFINITY);
        });
        boolean fast = ends(() -> {
            for (Action action : actions) {
                if (action.gives) {
                    online.withdraw(action.time, action.request.id);
                } else {
                    assertThat(online.submit(
                                    action.time,
                                    trace.prefillTokens(action.request.id),
                                    trace.decodeTokens(action.request.id)))
                            .isEqualTo(action.request.id);
                }
            }
            online.advanceTo(Double.MAX_VALUE);
        });
        String what = "kind " + kind + " seed " + seed + " " + spec;
        assertThat(log.lines).as(what).isEqualTo(plain.log);
        assertThat(fast).as(what).isEqualTo(went);
        assertThat(went && online.inProgress() > 0)
                .as(what)
                .isEqualTo(went && plain.requests.stream().anyMatch(r -> !r.completed && !r.withdrawn));
        return spec.cluster().pipelineStages() == 1
                ? 0
                : (int) plain.requests.stream()
                        .filter(r -> r.withdrawn && r.emitted > 0)
                        .count();
    }

    private static boolean ends(Runnable run) {
        try {
            run.run();
            return true;
        } catch (OutOfBlocksException e) {
            return false;
        }
    }

    @Test
    void matchesTheSpecificationWithCancellations() {
        compareWithdrawals(10);
    }

    @Test
    @Tag("long")
    void matchesTheSpecificationWithManyCancellations() {
        compareWithdrawals(1500);
    }

    private static void compareWithdrawals(int examples) {
        qt().withExamples(examples)
                .forAll(integers().between(0, 4), integers().all())
                .checkAssert(PlainSimulatorTest::agreeOnWithdrawals);
        int underPipelines = 0;
        for (int seed = 0; seed < examples; seed++) {
            underPipelines += agreeOnWithdrawals(seed % 2, seed);
        }
        assertThat(underPipelines).isGreaterThan(examples);
    }

    @Test
    void matchesTheSpecificationWithEveryScheduler() {
        compareSchedulers(10);
    }

    @Test
    @Tag("long")
    void matchesTheSpecificationWithEverySchedulerInManyRuns() {
        compareSchedulers(1500);
    }

    private static void compareSchedulers(int examples) {
        qt().withExamples(examples)
                .forAll(integers().between(0, 4), integers().all())
                .checkAssert(PlainSimulatorTest::agree);
    }

    /** The compared runs include preemptions with recomputation. */
    @Test
    void restartsRequests() {
        compareRestarts(20, 10);
    }

    @Test
    @Tag("long")
    void restartsRequestsInManyRuns() {
        compareRestarts(200, 5);
    }

    private static void compareRestarts(int seeds, int minShare) {
        int restarts = 0;
        for (int seed = 0; seed < seeds; seed++) {
            restarts += agree(seed % 2, seed) ? 1 : 0;
        }
        assertThat(restarts).isGreaterThan(seeds / minShare);
    }
}
