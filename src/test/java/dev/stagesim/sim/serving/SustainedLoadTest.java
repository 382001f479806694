package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.sim.serving.SustainedLoad.Verdict;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Steps take 1 ms and a request 20 of them, so that capacities follow by hand. */
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

    /** Four requests at a time are 200 a second; half of that is sustained, three times as many are not. */
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
    void theVerdictFollowsTheCapacity(String limit, int replicas, double perSecond, Verdict verdict) {
        for (int seed = 0; seed < 5; seed++) {
            Ran ran = run(scheduler(limit), replicas, poisson(1000, perSecond, seed));
            assertThat(ran.load().verdict()).as("seed %d", seed).isEqualTo(verdict);
            assertThat(ran.load().offeredPerSecond()).isCloseTo(perSecond, within(0.15 * perSecond));
            if (verdict == Verdict.SATURATED) {
                assertThat(ran.times.longest()).isEqualTo(AdmissionLimit.valueOf(limit));
                assertThat(ran.load().servedPerSecond()).isLessThan(0.6 * perSecond);
                double held = ran.times.seconds(ran.times.longest());
                assertThat(held / replicas).isBetween(0.5 * ran.outcome.endSeconds(), ran.outcome.endSeconds());
            }
        }
    }

    /** Sixty requests at the end wait, more than a twentieth of all, but are served within a few hundred milliseconds. */
    @Test
    void aBurstAtTheEndIsNoOverload() {
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
    void aRunThatMostlyDrainsTellsNothing() {
        Ran ran = run(ServingFixtures.sarathi(64, 16, 4000, 512), 1, poisson(20, 3000, 1));
        assertThat(ran.load().verdict()).isEqualTo(Verdict.TOO_SHORT);
        assertThat(ran.load().drainSeconds()).isGreaterThan(ran.load().arrivalSeconds());
        assertThat(ran.times.longest()).isEqualTo(AdmissionLimit.NONE);
    }

    @Test
    void requestsThatComeAtOnceAreNoLoad() {
        double[][] rows = new double[30][];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = ServingFixtures.request(1, PROMPT, OUTPUT);
        }
        Ran ran = run(scheduler("BATCH_CAP"), 1, ServingFixtures.trace(rows));
        assertThat(ran.load().verdict()).isEqualTo(Verdict.AT_ONCE);
        assertThat(ran.load().offeredPerSecond()).isNaN();
        assertThat(ran.times.longest()).isEqualTo(AdmissionLimit.BATCH_CAP);
    }
}
