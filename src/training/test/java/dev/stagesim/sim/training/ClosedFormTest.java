package dev.stagesim.sim.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.sim.training.schedule.PipelineSchedule;
import dev.stagesim.sim.training.schedule.StageTimes;
import dev.stagesim.sim.training.schedule.Timeline;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ClosedFormTest {
    /** Includes transfers that are not overlapped. */
    @ParameterizedTest
    @CsvSource({
        "GPIPE,1e-9",
        "ONE_F_ONE_B,1e-9",
        "INTERLEAVED,1e-9",
        "ZB_H1,0.06",
        "ZB_H2,1e-9",
        "ZB_V,0.02",
        "V_HALF,0.03",
        "V_MIN,0.03",
        "DUALPIPE,0.05",
        "DUALPIPE_V,0.06"
    })
    void equalsTheTimelineWhenStagesAreEqual(PipelineSchedule schedule, double tolerance) {
        SplittableRandom random = new SplittableRandom(7);
        for (int draw = 0; draw < 60; draw++) {
            int ranks = 2 << random.nextInt(4);
            int virtual = schedule == PipelineSchedule.INTERLEAVED ? 2 + random.nextInt(3) : 1;
            int microBatches = ranks * (2 + random.nextInt(6));
            Strategy s = new Strategy(
                    new Strategy.Degrees(1, ranks, 1, 1, 1, 1),
                    schedule,
                    virtual,
                    0,
                    1,
                    1,
                    false,
                    Strategy.Recompute.NONE);
            double input = 1 + random.nextDouble();
            double weight = 0.4 + 0.6 * random.nextDouble();
            double transfer = draw % 3 == 0 ? 0 : 0.3 * random.nextDouble();
            StageTimes times = StageTimes.equal(ranks * s.chunks(), 1, input, weight, 1 + input + weight, transfer);
            double closed = ClosedForm.makespan(
                    s,
                    microBatches,
                    new StepEstimate.Stages(times.forward(), times.inputGradient(), times.weightGradient(), transfer));
            double run = Timeline.of(schedule.order(ranks, microBatches, virtual), times)
                    .makespan();
            assertThat(closed)
                    .as(
                            "%s ranks, %s micro-batches, 1 %s %s, transfer %s",
                            ranks, microBatches, input, weight, transfer)
                    .isCloseTo(run, within(tolerance * run));
        }
    }

    /** A rank starts no micro-batch before its oldest one has returned. */
    @ParameterizedTest
    @CsvSource({"2,1", "4,1.5", "16,1.875"})
    void addsTransfersToEveryMicroBatchOf1F1B(int ranks, double transfers) {
        Strategy s = new Strategy(
                new Strategy.Degrees(1, ranks, 1, 1, 1, 1),
                PipelineSchedule.ONE_F_ONE_B,
                1,
                0,
                1,
                1,
                false,
                Strategy.Recompute.NONE);
        double[] second = new double[ranks];
        java.util.Arrays.fill(second, 1);
        double later = ClosedForm.makespan(s, 400, new StepEstimate.Stages(second, second, second, 0.2))
                - ClosedForm.makespan(s, 200, new StepEstimate.Stages(second, second, second, 0.2));
        assertThat(later).isCloseTo(200 * (3 + 0.2 * transfers), within(1e-9));
    }
}
