package dev.stagesim.sim.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.StrategySearch.Objective;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StrategySearchTest {
    private static final TrainingMachine H100 = TrainingMachine.of(CardFiles.hardware("h100"));

    static TrainingJob job(int sequence, int batch) {
        return new TrainingJob(
                sequence,
                batch,
                TrainingMachine.Precision.BITS16,
                new TrainingJob.Kernels(true, 1, 1, TrainingJob.HOST_FUSED),
                new TrainingJob.Overlap(true, true, false),
                TrainingJob.Exchange.unlimited(true),
                TrainingJob.Storage.DEFAULT);
    }

    private static SearchSpace space(List<Integer> devices, double memory, int top, List<PipelineSchedule> schedules) {
        return new SearchSpace(
                devices,
                new SearchSpace.Axes(List.of(), List.of(), List.of(), List.of(), List.of()),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                schedules,
                memory,
                top);
    }

    @ParameterizedTest
    @CsvSource({
        "llama3_8b,16,8192,64,STEP_TIME",
        "llama3_8b,8,4096,32,DEVICE_TIME",
        "qwen3_30b_a3b,16,4096,64,STEP_TIME",
        "llama3_70b,64,4096,128,STEP_TIME",
        "deepseek_ai_deepseek_v2_lite,8,4096,64,DEVICE_TIME",
    })
    void findsTheSameResultWithAndWithoutPruning(String name, int devices, int sequence, int batch, String made) {
        Objective objective = made.equals("STEP_TIME") ? Objective.STEP_TIME : Objective.DEVICE_TIME;
        Architecture model = Architecture.of(CardFiles.model(name));
        for (double memory : new double[] {30e9, 70e9}) {
            SearchSpace space = space(
                    objective == Objective.STEP_TIME ? List.of(devices) : List.of(devices, 2 * devices),
                    memory,
                    5,
                    List.of(
                            PipelineSchedule.ONE_F_ONE_B,
                            PipelineSchedule.INTERLEAVED,
                            PipelineSchedule.ZB_H1,
                            PipelineSchedule.DUALPIPE));
            StrategySearch.Result pruned = StrategySearch.run(model, H100, job(sequence, batch), space, objective);
            StrategySearch.Result all = StrategySearch.exhaustive(model, H100, job(sequence, batch), space, objective);
            assertThat(strategies(pruned.best())).isEqualTo(strategies(all.best()));
            assertThat(strategies(pruned.front())).isEqualTo(strategies(all.front()));
            assertThat(pruned.visited()).isEqualTo(all.visited());
            assertThat(pruned.estimated()).isLessThanOrEqualTo(all.estimated());
        }
    }

    private static List<Strategy> strategies(List<Candidate> candidates) {
        return candidates.stream().map(Candidate::strategy).toList();
    }

    @Test
    void splitsALargeModelButNotASmallOne() {
        SearchSpace space = space(List.of(64), 74e9, 3, List.of());
        Architecture small = Architecture.of(CardFiles.model("llama3_2_1b"));
        Strategy simple = StrategySearch.run(small, H100, job(4096, 512), space, Objective.STEP_TIME)
                .best()
                .get(0)
                .strategy();
        assertThat(simple.tensor()).isEqualTo(1);
        assertThat(simple.pipeline()).isEqualTo(1);
        Architecture large = Architecture.of(CardFiles.model("llama3_1_405b"));
        SearchSpace wide = space(List.of(1024), 74e9, 3, List.of());
        Strategy split = StrategySearch.run(large, H100, job(8192, 1024), wide, Objective.STEP_TIME)
                .best()
                .get(0)
                .strategy();
        assertThat(split.tensor() * split.pipeline() * split.context()).isGreaterThanOrEqualTo(8);
    }

    @Test
    void skipsStrategiesThatExceedTheMemory() {
        Architecture model = Architecture.of(CardFiles.model("llama3_70b"));
        SearchSpace space = space(List.of(64), 60e9, 20, List.of());
        StrategySearch.Result result = StrategySearch.run(model, H100, job(4096, 256), space, Objective.STEP_TIME);
        assertThat(result.best())
                .hasSize(20)
                .allSatisfy(candidate -> assertThat(candidate.memory().total()).isLessThanOrEqualTo(60e9));
        assertThat(result.full()).isPositive();
        assertThat(result.rejected()).containsKey("tensor_within_fast_links");
    }

    /** arXiv 2412.19437 uses 16 stages and 64 expert ranks on 2,048 H800. */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void ranksTheStrategyOfDeepSeekNearTheBestWithItsPolicies(boolean hasPolicies) {
        Architecture model = Architecture.of(CardFiles.model("deepseek_v3"));
        TrainingMachine h800 = TrainingMachine.of(CardFiles.hardware("h800"));
        TrainingJob.Storage kept = hasPolicies
                ? new TrainingJob.Storage(4, false, 2, false, true, 6, TrainingJob.Sharding.BUCKETS)
                : TrainingJob.Storage.DEFAULT;
        TrainingJob.Exchange exchange =
                hasPolicies ? new TrainingJob.Exchange(true, 4, 1) : TrainingJob.Exchange.unlimited(true);
        TrainingJob job = new TrainingJob(
                4096,
                15_360,
                TrainingMachine.Precision.BITS8,
                new TrainingJob.Kernels(true, 1, 1, TrainingJob.HOST_FUSED),
                new TrainingJob.Overlap(true, true, false),
                exchange,
                kept);
        SearchSpace space = space(List.of(2048), 74e9, 20, List.of(PipelineSchedule.DUALPIPE));
        List<Candidate> best =
                StrategySearch.run(model, h800, job, space, Objective.STEP_TIME).best();
        double limit = 1.05 * best.get(0).step().step();
        assertThat(best.stream()
                        .filter(candidate -> candidate.step().step() <= limit)
                        .map(Candidate::strategy)
                        .anyMatch(s -> s.tensor() == 1
                                && s.pipeline() == 16
                                && s.expert() == 64
                                && s.recompute() == Strategy.Recompute.POINTWISE))
                .isEqualTo(hasPolicies);
    }
}
