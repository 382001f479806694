package dev.stagesim.sim.serving.replica;

import static dev.stagesim.sim.serving.ServingFixtures.request;
import static dev.stagesim.sim.serving.ServingFixtures.spec;
import static dev.stagesim.sim.serving.ServingFixtures.trace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.ServingFixtures;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingOutcome.Ending;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import org.junit.jupiter.api.Test;

/** Worked examples of the batches of each replica scheduler. */
class SchedulersTest {
    private final ServingFixtures.Log log = new ServingFixtures.Log();

    private ServingOutcome run(ServingSpec spec, double[]... requests) {
        return ServingSimulator.run(spec, trace(requests), ServingFixtures.flat(), log);
    }

    @Test
    void runsPromptsTogetherBeforeDecodesWithVllm() {
        ServingOutcome outcome = run(spec(ServingFixtures.vllm(128, 16, 1000)), request(0, 10, 2), request(0, 20, 3));
        assertThat(log.batches).containsExactly("0:10 1:20", "0:1 1:1", "1:1");
        assertThat(log.completed).containsExactly(0, 1);
        assertThat(outcome.endSeconds()).isCloseTo(0.003, org.assertj.core.data.Offset.offset(1e-15));
        assertThat(log.lastBlocks).isZero();
    }

    @Test
    void interruptsDecodesForNewPromptsWithVllm() {
        run(spec(ServingFixtures.vllm(128, 16, 1000)), request(0, 10, 3), request(0.0015, 20, 2));
        assertThat(log.batches).containsExactly("0:10", "0:1", "1:20", "0:1 1:1");
    }

    @Test
    void padsPromptsToTheLongestWithVllm() {
        SchedulerSpec scheduler = new SchedulerSpec.Vllm(ServingFixtures.limits(128, 16, 0, 1000), 60);
        run(spec(scheduler), request(0, 10, 1), request(0, 30, 1), request(0, 10, 1));
        assertThat(log.batches).containsExactly("0:10 1:30", "2:10");
    }

    @Test
    void restartsTheLatestRequestWhenMemoryRunsOutWithVllm() {
        // 4 blocks of 4 tokens: two prompts of 8 tokens fill them, so the first decode step needs room.
        ServingOutcome outcome = run(spec(ServingFixtures.vllm(128, 4, 4)), request(0, 8, 4), request(0, 8, 4));
        assertThat(log.batches).containsExactly("0:8 1:8", "0:1", "0:1", "0:1", "1:9", "1:1", "1:1");
        assertThat(log.restarted).containsExactly(1);
        assertThat(outcome.restarts()).isEqualTo(1);
        assertThat(log.tokens).isEqualTo(8);
        assertThat(outcome.ending()).isEqualTo(Ending.FINISHED);
    }

    @Test
    void limitsRequestsInMemoryByTheCap() {
        run(spec(ServingFixtures.vllm(1, 16, 1000)), request(0, 5, 2), request(0, 6, 1));
        assertThat(log.batches).containsExactly("0:5", "0:1", "1:6");
    }

    @Test
    void addsChunksToDecodesWithSarathi() {
        run(spec(ServingFixtures.sarathi(128, 16, 1000, 32)), request(0, 20, 4), request(0, 50, 1));
        assertThat(log.batches).containsExactly("0:20 1:12", "0:1 1:31", "0:1 1:7", "0:1");
    }

    @Test
    void mixesPromptsAndDecodesWithOrca() {
        // Blocks for only one sequence of maximum length (4096 / 16), so the second request waits.
        ServingOutcome outcome = run(
                spec(new SchedulerSpec.Orca(ServingFixtures.limits(128, 16, 0, 300))),
                request(0, 5, 2),
                request(0, 6, 1));
        assertThat(log.batches).containsExactly("0:5", "0:1", "1:6");
        assertThat(log.mostBlocks).isEqualTo(256);
        log.batches.clear();
        run(
                spec(new SchedulerSpec.Orca(ServingFixtures.limits(128, 16, 0, 600))),
                request(0, 5, 3),
                request(0.0005, 6, 1));
        assertThat(log.batches).containsExactly("0:5", "0:1 1:6", "0:1");
        assertThat(outcome.ending()).isEqualTo(Ending.FINISHED);
    }

    @Test
    void leaksMemoryWithFasterTransformerOnlyInReferenceMode() {
        SchedulerSpec scheduler = new SchedulerSpec.FasterTransformer(ServingFixtures.limits(2, 16, 0, 512));
        ServingOutcome quirky = run(spec(scheduler), request(0, 5, 1), request(0, 6, 3), request(0, 7, 1));
        assertThat(log.batches).containsExactly("0:5 1:6", "1:1", "1:1", "2:7");
        assertThat(quirky.ending()).isEqualTo(Ending.STUCK);
        assertThat(quirky.completed()).isEqualTo(3);
        ServingOutcome sound = run(spec(scheduler, 1, 1, false), request(0, 5, 1), request(0, 6, 3), request(0, 7, 1));
        assertThat(sound.ending()).isEqualTo(Ending.FINISHED);
    }

    @Test
    void admitsByForecastWithLightLlm() {
        // A request alone peaks at 10 + 1 + 2 tokens. With a second one of the same size, the forecast exceeds 20.
        SchedulerSpec scheduler = new SchedulerSpec.LightLlm(ServingFixtures.limits(128, 1, 0, 20), 4096, 1);
        ServingOutcome outcome = run(spec(scheduler), request(0, 10, 4), request(0, 10, 4));
        assertThat(log.batches).startsWith("0:10", "0:1");
        assertThat(log.batches).doesNotContain("0:10 1:10");
        assertThat(outcome.ending()).isEqualTo(Ending.FINISHED);
        assertThat(log.tokens).isEqualTo(8);
    }

    @Test
    void keepsSeveralBatchesInFlightInAPipeline() {
        ServingOutcome outcome =
                run(spec(ServingFixtures.vllm(2, 16, 1000), 1, 2, true), request(0, 5, 2), request(0, 6, 2));
        // Cap 2 over 2 stages: one request per batch, two batches in flight, half a millisecond of overlap.
        assertThat(log.batches).containsExactly("0:5", "1:6", "0:1", "1:1");
        assertThat(outcome.endSeconds()).isCloseTo(0.005, org.assertj.core.data.Offset.offset(1e-12));
    }

    @Test
    void shrinksPartlyProcessedPromptsOnlyInReferenceMode() {
        // Request 1 is in the middle of its prompt when request 0 needs its blocks.
        SchedulerSpec scheduler = ServingFixtures.sarathi(128, 4, 6, 6);
        double[][] requests = {request(0, 5, 7), request(0.0005, 16, 2)};
        ServingOutcome quirky = run(spec(scheduler), requests);
        ServingOutcome sound = run(spec(scheduler, 1, 1, false), requests);
        assertThat(quirky.restarts()).isPositive();
        assertThat(sound.restarts()).isPositive();
        assertThat(quirky.states().emittedTokens(1)).isGreaterThan(2);
        assertThat(sound.states().emittedTokens(1)).isEqualTo(2);
    }
}
