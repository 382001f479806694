package dev.stagesim.sim.serving.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.sim.serving.ServingFixtures;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.VllmFixtures;
import dev.stagesim.sim.serving.metrics.SustainedLoad.Verdict;
import dev.stagesim.sim.serving.policy.VllmSettings;
import dev.stagesim.sim.serving.replica.AdmissionLimit;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A step takes 1 ms and a request 20 steps, so capacities are easy to compute. */
class SustainedLoadTest {
    private static final int OUTPUT = 20;
    private static final int PROMPT = 32;

    private record Ran(ServingOutcome outcome, AdmissionTimes times) {
        SustainedLoad load() {
            return SustainedLoad.of(outcome);
        }
    }

    private static Ran run(SchedulerSpec scheduler, int replicas, RequestTrace trace) {
        ServingSpec spec = ServingFixtures.spec(scheduler, replicas, 1, false);
        AdmissionTimes times = new AdmissionTimes(replicas);
        ServingOutcome outcome = ServingSimulator.run(spec, trace, ServingFixtures.flat(), times);
        times.finish(outcome.endSeconds());
        return new Ran(outcome, times);
    }

    private static RequestTrace poisson(int count, double perSecond, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[][] rows = new double[count][];
        double at = 0;
        for (int i = 0; i < count; i++) {
            at -= Math.log1p(-random.nextDouble()) / perSecond;
            rows[i] = ServingFixtures.request(at, PROMPT, OUTPUT);
        }
        return ServingFixtures.trace(rows);
    }

    private static SchedulerSpec scheduler(String limit) {
        return switch (limit) {
            case "BATCH_CAP" -> ServingFixtures.sarathi(4, 16, 4000, 512);
            case "KV_BLOCKS" -> ServingFixtures.sarathi(64, 16, 16, 512);
            default -> ServingFixtures.sarathi(64, 16, 4000, PROMPT);
        };
    }

    /** Four concurrent requests complete 200 per second. Half of that load is sustained, three times as much is not. */
    @ParameterizedTest
    @CsvSource({
        "BATCH_CAP, 1, 100, SUSTAINED",
        "BATCH_CAP, 1, 600, SATURATED",
        "BATCH_CAP, 3, 300, SUSTAINED",
        "BATCH_CAP, 3, 1800, SATURATED",
        "KV_BLOCKS, 1, 60, SUSTAINED",
        "KV_BLOCKS, 1, 900, SATURATED",
        "TOKEN_BUDGET, 1, 100, SUSTAINED",
        "TOKEN_BUDGET, 1, 3000, SATURATED"
    })
    void derivesTheVerdictFromTheCapacity(String limit, int replicas, double perSecond, Verdict verdict) {
        for (int seed = 0; seed < 5; seed++) {
            Ran ran = run(scheduler(limit), replicas, poisson(1000, perSecond, seed));
            assertThat(ran.load().verdict()).as("seed %d", seed).isEqualTo(verdict);
            assertThat(ran.load().offeredPerSecond()).isCloseTo(perSecond, within(0.15 * perSecond));
            if (verdict == Verdict.SATURATED) {
                assertThat(ran.times.longest()).isEqualTo(AdmissionLimit.valueOf(limit));
                assertThat(ran.load().servedPerSecond()).isLessThan(0.6 * perSecond);
                double residence = ran.times.seconds(ran.times.longest());
                assertThat(residence / replicas).isBetween(0.5 * ran.outcome.endSeconds(), ran.outcome.endSeconds());
            }
        }
    }

    /** Requests restart because the cache is full. Their prompts fill the steps, but more tokens per step would not help. */
    @Test
    void namesTheCacheIfRequestsRestart() {
        VllmSettings settings = VllmFixtures.settings(64, PROMPT, Map.of("reserveFullSequence", false));
        double[][] rows = new double[200][];
        Arrays.setAll(rows, i -> ServingFixtures.request(0, PROMPT, 10 * PROMPT));
        Ran ran = run(VllmFixtures.engine(settings, 40, Map.of()), 1, ServingFixtures.trace(rows));
        assertThat(ran.outcome.restarts()).isPositive();
        assertThat(ran.times.longest()).isEqualTo(AdmissionLimit.KV_BLOCKS);
    }

    /** Arrivals, admissions and departures of a queue with equal or exponential service times, in order of arrival. */
    private record Queue(double[] arrived, double[] started, double[] departed) implements SustainedLoad.Requests {
        /** Simulates a first-come, first-served queue with service times of mean 1. */
        static Queue of(int count, double load, int servers, boolean isExponential, int seed) {
            SplittableRandom random = new SplittableRandom(seed);
            Queue queue = new Queue(new double[count], new double[count], new double[count]);
            PriorityQueue<Double> free = new PriorityQueue<>(Collections.nCopies(servers, 0.0));
            double now = 0;
            for (int i = 0; i < count; i++) {
                now += exponential(random) / (load * servers);
                queue.arrived[i] = now;
                queue.started[i] = Math.max(now, free.remove());
                queue.departed[i] = queue.started[i] + (isExponential ? exponential(random) : 1);
                free.add(queue.departed[i]);
            }
            return queue;
        }

        private static double exponential(SplittableRandom random) {
            return -Math.log1p(-random.nextDouble());
        }

        Verdict verdict() {
            double end = Arrays.stream(departed).max().orElseThrow();
            return SustainedLoad.of(this, end, arrived.length).verdict();
        }

        @Override
        public int size() {
            return arrived.length;
        }

        @Override
        public double arrivedAt(int request) {
            return arrived[request];
        }

        @Override
        public double startedAt(int request) {
            return started[request];
        }

        @Override
        public double departedAt(int request) {
            return departed[request];
        }
    }

    /** The bounds apply to 200 runs. The queue with 64 servers needs 64 times as many requests for a steady state. */
    @ParameterizedTest
    @CsvSource({
        "1, false, 150, 0.5, 0.98, 0",
        "1, false, 150, 0.95, 0.3, 0.05",
        "1, false, 150, 1.3, 0, 0.8",
        "1, false, 1000, 0.8, 0.98, 0",
        "1, false, 1000, 0.95, 0.9, 0.02",
        "1, false, 1000, 1.3, 0, 1",
        "1, true, 150, 0.95, 0.2, 0.05",
        "1, true, 1000, 0.8, 0.95, 0.01",
        "1, true, 1000, 1.3, 0, 0.98",
        "16, false, 150, 0.5, 0.9, 0",
        "16, false, 150, 0.95, 0.3, 0.05",
        "16, false, 150, 2, 0, 0.98",
        "16, false, 1000, 0.8, 0.98, 0",
        "16, false, 1000, 1.3, 0, 1",
        "64, true, 150, 0.95, 0, 0",
        "64, true, 4000, 0.8, 0.98, 0",
        "64, true, 4000, 1.3, 0, 1"
    })
    void returnsFewWrongVerdicts(
            int servers, boolean isExponential, int count, double load, double sustained, double saturated) {
        Map<Verdict, Double> shares = new EnumMap<>(Verdict.class);
        for (int seed = 0; seed < 200; seed++) {
            shares.merge(Queue.of(count, load, servers, isExponential, seed).verdict(), 1 / 200.0, Double::sum);
        }
        if (load < 1) {
            assertThat(shares.getOrDefault(Verdict.SUSTAINED, 0.0)).isGreaterThanOrEqualTo(sustained);
            assertThat(shares.getOrDefault(Verdict.SATURATED, 0.0)).isLessThanOrEqualTo(saturated);
        } else {
            assertThat(shares.getOrDefault(Verdict.SUSTAINED, 0.0)).isLessThanOrEqualTo(sustained);
            assertThat(shares.getOrDefault(Verdict.SATURATED, 0.0)).isGreaterThanOrEqualTo(saturated - 1e-9);
        }
    }

    /** The rate of a few requests is not known: three requests served before the next one can arrive show no rate. */
    @Test
    void reportsFewRequestsAsTooShort() {
        assertThat(Queue.of(3, 0.2, 4, false, 1).verdict()).isEqualTo(Verdict.TOO_SHORT);
        assertThat(Queue.of(19, 0.2, 4, false, 1).verdict()).isEqualTo(Verdict.TOO_SHORT);
        assertThat(Queue.of(20, 0.2, 4, false, 1).verdict()).isEqualTo(Verdict.SUSTAINED);
        assertThat(Queue.of(19, 20, 1, false, 1).verdict()).isEqualTo(Verdict.SATURATED);
    }

    /** The residence time is half of the arrival span, so the number of requests grows although none waits. */
    @Test
    void reportsAFillingSystemAsTooShort() {
        assertThat(Queue.of(400, 0.5, 400, false, 1).verdict()).isEqualTo(Verdict.TOO_SHORT);
        assertThat(Queue.of(4000, 0.5, 400, false, 1).verdict()).isEqualTo(Verdict.SUSTAINED);
    }

    /** Sixty requests wait at the end, more than 5 % of all, but complete within a few hundred milliseconds. */
    @Test
    void ignoresABurstAtTheEnd() {
        double[][] rows = new double[1060][];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = ServingFixtures.request(Math.min(i, 1000) / 50.0, PROMPT, OUTPUT);
        }
        SustainedLoad load =
                run(scheduler("BATCH_CAP"), 1, ServingFixtures.trace(rows)).load();
        assertThat(load.waiting()).isGreaterThan(53);
        assertThat(load.verdict()).isEqualTo(Verdict.SUSTAINED);
    }

    @Test
    void returnsNoVerdictWhenTheRunMostlyDrains() {
        Ran ran = run(ServingFixtures.sarathi(64, 16, 4000, 512), 1, poisson(20, 3000, 1));
        assertThat(ran.load().verdict()).isEqualTo(Verdict.TOO_SHORT);
        assertThat(ran.load().drainSeconds()).isGreaterThan(ran.load().arrivalSeconds());
        assertThat(ran.times.longest()).isEqualTo(AdmissionLimit.NONE);
    }

    @Test
    void reportsSimultaneousArrivals() {
        double[][] rows = new double[30][];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = ServingFixtures.request(1, PROMPT, OUTPUT);
        }
        Ran ran = run(scheduler("BATCH_CAP"), 1, ServingFixtures.trace(rows));
        assertThat(ran.load().verdict()).isEqualTo(Verdict.AT_ONCE);
        assertThat(ran.load().offeredPerSecond()).isNaN();
        assertThat(ran.times.longest()).isEqualTo(AdmissionLimit.BATCH_CAP);
    }

    @Test
    void comparesWaitsWithPrefills() {
        assertThat(SustainedLoad.isLongWait(999, 0)).isFalse();
        assertThat(SustainedLoad.isLongWait(1000, 100)).isTrue();
        assertThat(SustainedLoad.isLongWait(1000, 101)).isFalse();
    }
}
