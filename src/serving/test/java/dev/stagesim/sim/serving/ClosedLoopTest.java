package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of a closed loop enter when others complete. */
class ClosedLoopTest {
    private static final double EXACT = 1e-9;

    private static ServingSpec engine(boolean isAsync) {
        return ServingFixtures.spec(VllmFixtures.engine(
                VllmFixtures.settings(16, 256, Map.of("asyncScheduling", isAsync)), 4000, Map.of()));
    }

    private static List<ServingSpec> engines() {
        return List.of(
                engine(false),
                engine(true),
                ServingFixtures.spec(ServingFixtures.sarathi(16, 4, 4000, 64)),
                ServingFixtures.spec(new SchedulerSpec.Vllm(ServingFixtures.limits(16, 4, 0, 4000), 512), 2, 2, false));
    }

    private static RequestTrace equal(int count, int prompt, int output) {
        double[][] rows = new double[count][];
        Arrays.fill(rows, ServingFixtures.request(0, prompt, output));
        return ServingFixtures.trace(rows);
    }

    private static RequestTrace drawn(int count) {
        SplittableRandom random = new SplittableRandom(5);
        double[][] rows = new double[count][];
        Arrays.setAll(rows, i -> ServingFixtures.request(0, 1 + random.nextInt(90), 1 + random.nextInt(30)));
        return ServingFixtures.trace(rows);
    }

    private static Optional<ClosedLoop> loop(int concurrency) {
        return Optional.of(new ClosedLoop(concurrency, 0, 0));
    }

    private static RequestStates run(ServingSpec spec, RequestTrace trace, ServingRecorder... recorders) {
        ServingOutcome outcome = ServingSimulator.run(spec, trace, ServingFixtures.flat(), recorders);
        assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
        return outcome.states();
    }

    private static double[] each(RequestStates states, boolean isEnd) {
        return IntStream.range(0, states.size())
                .mapToDouble(i -> isEnd ? states.completedAt(i) : states.arrivedAt(i))
                .toArray();
    }

    /** Returns the requests with sessions of up to 4 turns, and times between turns that no two sessions share. */
    private static RequestTrace inSessions(RequestTrace trace, int[] sessions, SplittableRandom random) {
        double[] arrivals = trace.arrivalSeconds().clone();
        for (int i = 0; i < sessions.length; i++) {
            sessions[i] = i;
            int before = i - 1 - random.nextInt(3);
            if (before >= 0 && IntStream.range(before + 1, i).allMatch(j -> sessions[j] != sessions[before])) {
                sessions[i] = sessions[before];
                arrivals[i] = arrivals[before] + random.nextDouble() * 0.3;
            }
        }
        return new RequestTrace(
                arrivals,
                trace.prefillTokens(),
                trace.decodeTokens(),
                request -> Tokens.from(SharedTokens.promptOf(sessions[request])));
    }

    private static boolean agree(int kind, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ServingSpec spec = PlainSimulatorTest.spec(kind, random);
        RequestTrace drawn = PlainSimulatorTest.trace(random);
        OperatorTimes times = PlainSimulatorTest.times(seed, random);
        int[] sessions = IntStream.range(0, drawn.size()).toArray();
        boolean hasTurns = random.nextBoolean();
        RequestTrace trace = hasTurns ? inSessions(drawn, sessions, random) : drawn;
        ClosedLoop loop = new ClosedLoop(1 + random.nextInt(20), random.nextInt(3) * 0.01, 0, hasTurns);
        PlainSimulator plain = new PlainSimulator(spec, trace, times, loop, request -> sessions[request]);
        plain.run();
        trace.closed(Optional.of(loop));
        String what = "kind " + kind + " seed " + seed + " " + loop + " " + spec;
        PlainSimulatorTest.Log log = new PlainSimulatorTest.Log(new ArrayList<>());
        ServingOutcome outcome = ServingSimulator.run(spec, trace, times, log, new PlainSimulatorTest.Events());
        assertThat(log.lines()).as(what).isEqualTo(plain.log);
        // inline steps report the start of the next step before simultaneous arrivals
        PlainSimulatorTest.Log inlineLog = new PlainSimulatorTest.Log(new ArrayList<>());
        ServingOutcome logged = ServingSimulator.run(spec, trace, times, inlineLog);
        assertThat(inlineLog.lines()).as(what).containsExactlyInAnyOrderElementsOf(plain.log);
        ServingOutcome inline = ServingSimulator.run(spec, trace, times);
        assertThat(inline.eventCounts()).as(what).isEqualTo(outcome.eventCounts());
        assertThat(inline.endSeconds()).as(what).isEqualTo(outcome.endSeconds());
        for (PlainRequest request : plain.requests) {
            for (ServingOutcome each : List.of(outcome, logged, inline)) {
                assertThat(PlainRequest.figures(each.states(), request.id))
                        .as(what)
                        .isEqualTo(request.figures());
                double entry = each.states().arrivedAt(request.id);
                assertThat(Double.isInfinite(entry) || entry == request.arrived)
                        .as(what)
                        .isTrue();
            }
        }
        return outcome.restarts() > 0;
    }

    @Test
    void agreesWithClientsThatSendTheirNextRequestAfterAnAnswer() {
        compare(40);
    }

    @Test
    @Tag("long")
    void agreesInManyRuns() {
        compare(3000);
    }

    private static void compare(int examples) {
        qt().withExamples(examples)
                .forAll(integers().between(0, 4), integers().all())
                .checkAssert(ClosedLoopTest::agree);
    }

    /** A client of {@link OnlineServing}, which does not use the arrivals of the simulator. */
    private static double[] served(ServingSpec spec, RequestTrace trace, int concurrency) {
        double[] ends = new double[trace.size()];
        int[] requests = new int[concurrency];
        ArrayDeque<Integer> sent = new ArrayDeque<>();
        ArrayDeque<Integer> done = new ArrayDeque<>();
        ServingRecorder completions = new ServingRecorder() {
            @Override
            public void requestCompleted(int place, double time, RequestStates states) {
                ends[requests[place]] = time;
                done.add(place);
            }
        };
        OnlineServing service = new OnlineServing(spec, ServingFixtures.flat(), concurrency, () -> 1, completions);
        double now = 0;
        while (!Double.isInfinite(now)) {
            service.advanceTo(now);
            boolean isFirst = sent.isEmpty();
            int free = isFirst ? concurrency : done.size();
            done.clear();
            for (int i = 0; i < free && sent.size() < trace.size(); i++) {
                int request = sent.size();
                sent.add(request);
                requests[service.submit(now, trace.prefillTokens(request), trace.decodeTokens(request))] = request;
            }
            now = service.nextSeconds();
        }
        return ends;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16, 40})
    void agreesWithAClientOfAnEngine(int concurrency) {
        for (boolean isAsync : new boolean[] {false, true}) {
            RequestTrace trace = drawn(60);
            double[] ends = served(engine(isAsync), trace, concurrency);
            RequestStates states = run(engine(isAsync), trace.closed(loop(concurrency)));
            assertThat(each(states, true)).as("async %s", isAsync).containsExactly(ends);
        }
    }

    @Test
    void runsOneRequestAfterTheOtherWithAConcurrencyOfOne() {
        for (ServingSpec spec : engines()) {
            RequestStates states = run(spec, equal(9, 40, 10).closed(loop(1)));
            double service = run(spec, equal(1, 40, 10)).completedAt(0);
            for (int i = 0; i < states.size(); i++) {
                assertThat(states.arrivedAt(i)).isEqualTo(i == 0 ? 0 : states.completedAt(i - 1));
                assertThat(states.completedAt(i)).isCloseTo((i + 1) * service, within(EXACT));
            }
        }
    }

    @Test
    void equalsSimultaneousArrivalsWithoutALimit() {
        for (ServingSpec spec : engines()) {
            RequestStates open = run(spec, drawn(50));
            for (int concurrency : new int[] {50, 51, Integer.MAX_VALUE}) {
                RequestStates closed = run(spec, drawn(50).closed(loop(concurrency)));
                assertThat(each(closed, false)).containsExactly(each(open, false));
                assertThat(each(closed, true)).containsExactly(each(open, true));
            }
        }
    }

    /** Little's law: throughput x mean latency = requests in flight. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 16, 30})
    void satisfiesLittlesLaw(int concurrency) {
        for (ServingSpec spec : engines()) {
            int rounds = 60;
            RequestStates states = run(spec, equal(rounds * concurrency, 40, 10).closed(loop(concurrency)));
            double[] entries = each(states, false);
            double[] ends = each(states, true);
            double[] sorted = ends.clone();
            Arrays.sort(sorted);
            double from = sorted[10 * concurrency - 1];
            double to = sorted[50 * concurrency - 1];
            double latency = 0;
            int count = 0;
            for (int i = 0; i < ends.length; i++) {
                if (ends[i] > from && ends[i] <= to) {
                    latency += ends[i] - entries[i];
                    count++;
                }
            }
            // the sum of the latencies is the integral of the requests in flight, except at the ends of the window
            assertThat(latency / (to - from)).isCloseTo(concurrency, within(0.03 * concurrency));
            assertThat(count).isPositive();
        }
    }

    @Test
    void keepsEverySlotInUse() {
        for (ServingSpec spec : engines()) {
            RequestStates states = run(spec, drawn(80).closed(loop(6)));
            double[] ends = each(states, true);
            double[] sorted = ends.clone();
            Arrays.sort(sorted);
            for (int i = 0; i < ends.length; i++) {
                assertThat(states.arrivedAt(i)).isEqualTo(i < 6 ? 0 : sorted[i - 6]);
            }
        }
    }

    @Test
    void raisesTheLimitDuringTheRampUp() {
        RequestTrace trace = equal(40, 200, 200).closed(Optional.of(new ClosedLoop(4, 0.1, 0)));
        RequestStates states = run(engine(false), trace);
        assertThat(Arrays.copyOf(each(states, false), 4)).containsExactly(0, 0.025, 0.05, 0.1 * 3 / 4);
        assertThat(states.arrivedAt(4)).isEqualTo(states.completedAt(0));
    }

    @Test
    void delaysArrivalsWhileTheLimitIsReached() {
        double[][] rows = new double[30][];
        Arrays.setAll(rows, i -> ServingFixtures.request(i < 20 ? i * 0.001 : i, 40, 10));
        RequestStates states = run(engine(true), ServingFixtures.trace(rows).closed(loop(4)));
        double[] ends = each(states, true);
        for (int i = 0; i < 30; i++) {
            double entry = states.arrivedAt(i);
            assertThat(entry).isGreaterThanOrEqualTo(rows[i][0]);
            assertThat(Arrays.stream(ends, 0, i).filter(end -> end > entry).count())
                    .isLessThan(4);
        }
        assertThat(states.arrivedAt(29)).isEqualTo(29);
    }
}
