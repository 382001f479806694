package dev.stagesim.sim.serving;

import static dev.stagesim.sim.serving.ServingFixtures.request;
import static dev.stagesim.sim.serving.ServingFixtures.spec;
import static dev.stagesim.sim.serving.ServingFixtures.trace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.serving.ServingOutcome.Ending;
import dev.stagesim.sim.serving.replica.EventType;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.Feasibility;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Simulations that end without completing all requests, and inputs that are rejected in advance. */
class EndingsTest {
    private static String problem(ServingOutcome outcome) {
        return outcome.problem().map(Problem::render).orElse("");
    }

    @Test
    void reportsAPromptThatNeverFitsAsStuck() {
        SchedulerSpec scheduler = new SchedulerSpec.Vllm(ServingFixtures.limits(8, 16, 0, 100), 64);
        ServingOutcome outcome = ServingSimulator.run(
                spec(scheduler), trace(request(0, 8, 2), request(0, 65, 2), request(0, 8, 2)), ServingFixtures.flat());
        assertThat(outcome.ending()).isEqualTo(Ending.STUCK);
        assertThat(outcome.completed()).isEqualTo(1);
        assertThat(problem(outcome)).contains("request 1", "1 waits after it", "max_tokens_in_batch (now 64)");
    }

    @Test
    void stopsAtTheFirstEventAfterTheTimeLimit() {
        ServingSpec limited = new ServingSpec(
                ServingFixtures.ONE_LAYER,
                Optional.empty(),
                new ClusterSpec(1, 1, 1, 80, 312, 0.1, GlobalPolicy.ROUND_ROBIN, 42),
                ServingFixtures.vllm(8, 16, 100),
                TimingSpec.DEFAULT,
                4096,
                0.0025,
                VidurQuirk.NONE);
        ServingOutcome outcome = ServingSimulator.run(limited, trace(request(0, 8, 20)), ServingFixtures.flat());
        assertThat(outcome.ending()).isEqualTo(Ending.TIME_LIMIT);
        assertThat(outcome.endSeconds()).isCloseTo(0.003, org.assertj.core.data.Offset.offset(1e-12));
        assertThat(outcome.events(EventType.BATCH_STAGE_END)).isEqualTo(3);
        assertThat(outcome.events(EventType.BATCH_END)).isEqualTo(2);
    }

    @Test
    void reportsNegativePromptsAsNotCovered() {
        ServingOutcome outcome = ServingSimulator.run(
                spec(ServingFixtures.vllm(8, 16, 100)), trace(request(0, -88, 200)), ServingFixtures.flat());
        assertThat(outcome.ending()).isEqualTo(Ending.NOT_COVERED);
    }

    @Test
    void namesTheOperatorOfABatchBeyondTheTables() {
        ServingOutcome outcome = ServingSimulator.run(
                spec(new SchedulerSpec.Vllm(ServingFixtures.limits(8, 16, 0, 5000), 20000)),
                trace(request(0, 9000, 2)),
                ServingFixtures.flat());
        assertThat(outcome.ending()).isEqualTo(Ending.NOT_COVERED);
        assertThat(problem(outcome)).contains("attn_pre_proj", "9000", "8192");
        assertThat(outcome.events(EventType.REPLICA_STAGE_SCHEDULE)).isEqualTo(1);
    }

    @Test
    void processesArrivalsByTime() {
        ServingFixtures.Log log = new ServingFixtures.Log();
        ServingSimulator.run(
                spec(ServingFixtures.vllm(8, 16, 100)),
                trace(request(1, 5, 1), request(0, 6, 1), request(0, 7, 1)),
                ServingFixtures.flat(),
                log);
        assertThat(log.batches).containsExactly("1:6 2:7", "0:5");
    }

    @Test
    void reportsEveryViolatedRule() {
        ServingSpec spec = spec(new SchedulerSpec.Vllm(ServingFixtures.limits(2, 16, 0.01, 10), 64), 1, 4, false);
        List<Problem> problems = Feasibility.problems(
                spec,
                MemoryPlan.of(spec),
                trace(request(0, 0, 1), request(2, 100, 100), request(1, 5, 5), request(Double.NaN, 5, 5000)));
        String text = String.join("\n", problems.stream().map(Problem::render).toList());
        assertThat(text)
                .contains("at least 1 token")
                .contains("maximum sequence length of the memory plan")
                .contains("not a number")
                .contains("arrives before")
                .contains("batch_size_cap")
                .contains("max_tokens_in_batch")
                .contains("does not fit the KV cache");
        assertThat(problems).allSatisfy(p -> assertThat(p.notes()).isNotEmpty());
    }

    @Test
    void completesFeasibleRuns() {
        ServingSpec spec = spec(ServingFixtures.vllm(8, 4, 5), 1, 1, false);
        RequestTrace trace = trace(request(0, 8, 13), request(0, 8, 13), request(0, 1, 20));
        assertThat(Feasibility.problems(spec, MemoryPlan.of(spec), trace)).isEmpty();
        ServingOutcome outcome = ServingSimulator.run(spec, trace, ServingFixtures.flat());
        assertThat(outcome.ending()).as(problem(outcome)).isEqualTo(Ending.FINISHED);
        assertThat(outcome.restarts()).isPositive();
    }

    @Test
    void keepsOneTokenFreeWithLightLlm() {
        SchedulerSpec scheduler = new SchedulerSpec.LightLlm(ServingFixtures.limits(8, 1, 0, 40), 64, 10);
        ServingSpec spec = spec(scheduler, 1, 1, false);
        for (int decode : new int[] {1, 2, 30, 31, 32, 33}) {
            RequestTrace trace = trace(request(0, 10, decode));
            boolean fits =
                    ServingSimulator.run(spec, trace, ServingFixtures.flat()).ending() == Ending.FINISHED;
            assertThat(Feasibility.problems(spec, MemoryPlan.of(spec), trace).isEmpty())
                    .as("%d output tokens", decode)
                    .isEqualTo(fits);
        }
    }

    @Test
    void reportsARequestThatFillsMemoryAsStuckOnlyInReferenceMode() {
        RequestTrace trace = trace(request(0, 8, 13));
        SchedulerSpec scheduler = ServingFixtures.vllm(8, 4, 5);
        assertThat(ServingSimulator.run(spec(scheduler), trace, ServingFixtures.flat())
                        .ending())
                .isEqualTo(Ending.STUCK);
        assertThat(ServingSimulator.run(spec(scheduler, 1, 1, false), trace, ServingFixtures.flat())
                        .ending())
                .isEqualTo(Ending.FINISHED);
    }

    @Test
    void rejectsAModelThatExceedsMemoryWithSizes() {
        ServingSpec spec = new ServingSpec(
                ServingFixtures.LLAMA2_7B,
                Optional.empty(),
                new ClusterSpec(1, 1, 1, 12, 312, 0.1, GlobalPolicy.ROUND_ROBIN, 42),
                ServingFixtures.vllm(8, 16, 100),
                TimingSpec.DEFAULT,
                4096,
                0,
                VidurQuirk.VIDUR);
        assertThatThrownBy(() -> MemoryPlan.of(spec))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("12.1 GiB")
                .hasMessageContaining("tensor_parallel_size");
    }

    @Test
    void rejectsBlocksAndPipelinesWithLightLlm() {
        assertThatThrownBy(() ->
                        spec(new SchedulerSpec.LightLlm(ServingFixtures.limits(8, 16, 0, 0), 4096, 10), 1, 2, true))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("block_size=1")
                .hasMessageContaining("num_pipeline_stages=1");
    }
}
