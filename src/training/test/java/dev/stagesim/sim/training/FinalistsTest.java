package dev.stagesim.sim.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.sim.training.Finalists.Finalist;
import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.StrategySearch.Objective;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FinalistsTest {
    private static final TrainingMachine H100 = TrainingMachine.of(CardFiles.hardware("h100"));
    private static final Architecture MODEL = Architecture.of(CardFiles.model("llama3_8b"));

    private static List<Candidate> best(List<PipelineSchedule> schedules) {
        List<Integer> any = List.of();
        SearchSpace space = new SearchSpace(
                List.of(32),
                new SearchSpace.Axes(any, List.of(4, 8), any, any, any),
                any,
                any,
                any,
                List.of(),
                schedules,
                70e9,
                64);
        return StrategySearch.run(MODEL, H100, StrategySearchTest.job(4096, 64), space, Objective.STEP_TIME)
                .best();
    }

    /** Simulating every candidate gives the same ten, within 1 %. */
    @Test
    void returnsTheBestTimelines() {
        List<Candidate> best = best(List.of(PipelineSchedule.ZB_H1, PipelineSchedule.DUALPIPE, PipelineSchedule.V_MIN));
        List<Finalist> finalists = Finalists.of(best, 10, 64, Objective.STEP_TIME);
        List<Double> all = best.stream()
                .map(candidate -> SimulatedPipeline.of(candidate, 64).step())
                .sorted()
                .limit(10)
                .toList();
        assertThat(finalists).isSortedAccordingTo(Comparator.comparingDouble(Finalist::step));
        for (int i = 0; i < 10; i++) {
            assertThat(finalists.get(i).step()).isLessThanOrEqualTo(1.01 * all.get(i));
        }
    }

    @Test
    void returnsAllCandidatesWhenThereAreFew() {
        List<Candidate> best = best(List.of()).subList(0, 3);
        assertThat(Finalists.of(best, 10, 64, Objective.STEP_TIME)).hasSize(3);
        assertThat(Finalists.of(List.of(), 10, 64, Objective.STEP_TIME)).isEmpty();
    }
}
