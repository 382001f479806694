package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.sim.serving.ServingOutcome.Ending;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Invariants of every scheduler and workload: no memory leaks, no request is lost, time advances. */
class InvariantsTest {
    private static SchedulerSpec scheduler(int kind, int blocks) {
        SchedulerSpec.Limits paged = ServingFixtures.limits(8, 4, 0.01, blocks);
        return switch (kind) {
            case 0 -> new SchedulerSpec.Vllm(paged, 4096);
            case 1 -> new SchedulerSpec.Sarathi(paged, 16);
            case 2 -> new SchedulerSpec.Orca(ServingFixtures.limits(8, 4, 0, 3000));
            case 3 -> new SchedulerSpec.FasterTransformer(ServingFixtures.limits(8, 4, 0, 3000));
            default -> new SchedulerSpec.LightLlm(ServingFixtures.limits(8, 1, 0, 4L * blocks), 4096, 3);
        };
    }

    private static RequestTrace random(int seed, int count) {
        SplittableRandom random = new SplittableRandom(seed);
        double[][] rows = new double[count][];
        double time = 0;
        for (int i = 0; i < count; i++) {
            time += random.nextInt(4) * 0.0007;
            rows[i] = ServingFixtures.request(time, 1 + random.nextInt(40), 1 + random.nextInt(30));
        }
        return ServingFixtures.trace(rows);
    }

    @Test
    void completesEveryRequestAndFreesItsMemory() {
        qt().withExamples(200)
                .forAll(
                        integers().between(0, 4),
                        integers().between(1, 4),
                        integers().all(),
                        integers().between(20, 60))
                .checkAssert((kind, stages, seed, blocks) -> {
                    int depth = kind == 4 ? 1 : stages;
                    ServingSpec spec =
                            ServingFixtures.spec(scheduler(kind, blocks), 1 + Math.floorMod(seed, 3), depth, false);
                    RequestTrace trace = random(seed, 40);
                    ServingFixtures.Log log = new ServingFixtures.Log();
                    ServingOutcome outcome = ServingSimulator.run(spec, trace, ServingFixtures.flat(), log);
                    check(outcome, trace, log);
                });
    }

    private static void check(ServingOutcome outcome, RequestTrace trace, ServingFixtures.Log log) {
        if (outcome.ending() == Ending.OUT_OF_BLOCKS) {
            return;
        }
        assertThat(outcome.ending()).isEqualTo(Ending.FINISHED);
        assertThat(outcome.completed()).isEqualTo(trace.size());
        assertThat(log.lastBlocks).isZero();
        assertThat(log.tokenTimes).isSorted();
        long expected = 0;
        for (int i = 0; i < trace.size(); i++) {
            RequestStates states = outcome.states();
            expected += trace.decodeTokens(i);
            assertThat(states.emittedTokens(i)).isEqualTo(trace.decodeTokens(i));
            assertThat(states.processedTokens(i)).isEqualTo(states.prefillTokens(i) + states.decodeTokens(i));
            assertThat(states.scheduledAt(i)).isGreaterThanOrEqualTo(states.arrivedAt(i));
            assertThat(states.prefillCompletedAt(i)).isGreaterThan(states.scheduledAt(i));
            assertThat(states.completedAt(i)).isGreaterThanOrEqualTo(states.prefillCompletedAt(i));
        }
        assertThat(log.tokens).isEqualTo(expected);
    }

    @Test
    void schedulesRequestsInOrderOfArrival() {
        qt().withExamples(50).forAll(integers().between(0, 3), integers().all()).checkAssert((kind, seed) -> {
            ServingSpec spec = ServingFixtures.spec(scheduler(kind, 400), 1, 1, false);
            ServingOutcome outcome = ServingSimulator.run(spec, random(seed, 60), ServingFixtures.flat());
            for (int i = 1; i < outcome.states().size(); i++) {
                assertThat(outcome.states().scheduledAt(i))
                        .isGreaterThanOrEqualTo(outcome.states().scheduledAt(i - 1));
            }
        });
    }

    @Test
    void repeatsRunsForEqualInputs() {
        ServingSpec spec = ServingFixtures.spec(scheduler(1, 30), 2, 2, false);
        ServingFixtures.Log first = new ServingFixtures.Log();
        ServingFixtures.Log second = new ServingFixtures.Log();
        ServingSimulator.run(spec, random(7, 60), ServingFixtures.flat(), first);
        ServingSimulator.run(spec, random(7, 60), ServingFixtures.flat(), second);
        assertThat(second.batches).isEqualTo(first.batches);
        assertThat(second.tokenTimes).isEqualTo(first.tokenTimes);
    }
}
