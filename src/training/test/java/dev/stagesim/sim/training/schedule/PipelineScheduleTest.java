package dev.stagesim.sim.training.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class PipelineScheduleTest {
    private static double bubble(PipelineSchedule schedule, int ranks, int microBatches, int virtual, double[] times) {
        PipelineOrder order = schedule.order(ranks, microBatches, virtual);
        double chunks = (double) order.stages() / ranks;
        StageTimes stage = StageTimes.equal(
                order.stages(),
                times[0] / chunks,
                times[1] / chunks,
                times[2] / chunks,
                times[0] / chunks + times[1] / chunks + times[2] / chunks,
                0);
        return Timeline.of(order, stage).makespan() - microBatches * (times[0] + times[1] + times[2]);
    }

    @ParameterizedTest
    @CsvSource({"2,4", "4,4", "4,16", "8,32"})
    void hasTheBubbleOfTheClosedForm(int p, int m) {
        double[] times = {1000, 1300, 700};
        double whole = (p - 1) * 3000.0;
        assertThat(bubble(PipelineSchedule.GPIPE, p, m, 1, times)).isEqualTo(whole);
        assertThat(bubble(PipelineSchedule.ONE_F_ONE_B, p, m, 1, times)).isEqualTo(whole);
        for (int v : new int[] {2, 4}) {
            assertThat(bubble(PipelineSchedule.INTERLEAVED, p, m, v, times)).isCloseTo(whole / v, within(1e-6));
        }
        assertThat(bubble(PipelineSchedule.ZB_H1, p, m, 1, times)).isEqualTo((p - 1) * 1600.0);
    }

    @ParameterizedTest
    @CsvSource({"4,8", "8,32", "8,64"})
    void hasTheClosedFormOfDualPipeWhenTimesAreEqual(int p, int m) {
        PipelineOrder order = PipelineSchedule.DUALPIPE.order(p, m, 1);
        double pair = 2700;
        double makespan = Timeline.of(order, StageTimes.equal(p, 1000, 1000, 1000, pair, 0))
                .makespan();
        double[] busy = Timeline.of(order, StageTimes.equal(p, 1000, 1000, 1000, pair, 0))
                .busy(order);
        double work = Arrays.stream(busy).max().orElseThrow();
        assertThat(makespan - work).isBetween(0.0, (p / 2 - 1) * (pair + 2000 - 3000) * 1.3 + 1);
    }

    @ParameterizedTest
    @EnumSource(PipelineSchedule.class)
    void runsEveryOperationOnceWithoutDeadlock(PipelineSchedule schedule) {
        SplittableRandom random = new SplittableRandom(7);
        for (int trial = 0; trial < 40; trial++) {
            int ranks = 2 * random.nextInt(1, 5);
            int microBatches = ranks * random.nextInt(2, 6);
            int virtual = schedule == PipelineSchedule.INTERLEAVED ? random.nextInt(1, 4) : 1;
            PipelineOrder order = schedule.order(ranks, microBatches, virtual);
            Timeline timeline = Timeline.of(order, randomTimes(random, order.stages()));
            Set<String> seen = new HashSet<>();
            int operations = 0;
            for (int[] ops : order.ops()) {
                for (int op : ops) {
                    String name = Op.name(op);
                    if (name.startsWith("BW")) {
                        seen.add(name.replace("BW", "B"));
                        seen.add(name.replace("BW", "W"));
                        operations++;
                    } else {
                        seen.add(name);
                    }
                    operations++;
                }
            }
            int expected = 3 * order.stages() * order.microBatches() * order.directions();
            assertThat(seen).hasSize(expected);
            assertThat(operations).isEqualTo(expected);
            assertThat(timeline.makespan())
                    .isGreaterThanOrEqualTo(
                            Arrays.stream(timeline.busy(order)).max().orElseThrow() - 1e-9);
        }
    }

    private static StageTimes randomTimes(SplittableRandom random, int stages) {
        double[] forward = random.doubles(stages, 1, 2).toArray();
        double[] input = random.doubles(stages, 1, 2).toArray();
        double[] weight = random.doubles(stages, 0.5, 1).toArray();
        double[] pair = new double[stages];
        for (int i = 0; i < stages; i++) {
            pair[i] = 0.9 * (forward[i] + input[i] + weight[i]);
        }
        return new StageTimes(forward, input, weight, pair, 0.1);
    }

    @Test
    void needsMoreTimeWhenAVScheduleNeedsLessMemory() {
        int p = 8;
        int m = 32;
        double[] times = {1000, 1000, 1000};
        int full = peak(PipelineSchedule.ZB_V, p, m);
        int half = peak(PipelineSchedule.V_HALF, p, m);
        int min = peak(PipelineSchedule.V_MIN, p, m);
        assertThat(full).isLessThanOrEqualTo(2 * p);
        assertThat(half).isLessThanOrEqualTo(p + 2);
        assertThat(min).isLessThanOrEqualTo(2 * p / 3 + 3);
        double oneForward = bubble(PipelineSchedule.ONE_F_ONE_B, p, m, 1, times);
        double v = bubble(PipelineSchedule.ZB_V, p, m, 1, times);
        assertThat(v).isLessThan(0.6 * oneForward);
        assertThat(bubble(PipelineSchedule.V_HALF, p, m, 1, times)).isBetween(v, oneForward);
    }

    private static int peak(PipelineSchedule schedule, int ranks, int microBatches) {
        return Arrays.stream(schedule.order(ranks, microBatches, 1).peakChunks())
                .max()
                .orElseThrow();
    }

    @Test
    void hasTheClosedFormOfActivationsInFlight() {
        assertThat(PipelineSchedule.ONE_F_ONE_B.order(8, 32, 1).peakChunks()).containsExactly(8, 7, 6, 5, 4, 3, 2, 1);
        assertThat(PipelineSchedule.GPIPE.order(4, 16, 1).peakChunks()).containsOnly(16);
        assertThat(PipelineSchedule.INTERLEAVED.order(4, 16, 2).peakChunks()[0]).isEqualTo(4 * 2 + 3);
        assertThat(PipelineSchedule.DUALPIPE.order(8, 32, 1).peakChunks()).containsOnly(9);
    }

    @Test
    void explainsWhyAScheduleCannotRun() {
        assertThat(PipelineSchedule.INTERLEAVED.refusal(4, 6, 2)).isNotEmpty();
        assertThat(PipelineSchedule.DUALPIPE.refusal(3, 8, 1)).contains("even");
        assertThat(PipelineSchedule.DUALPIPE.refusal(4, 6, 1)).contains("twice");
        assertThat(PipelineSchedule.ZB_H1.refusal(4, 8, 2)).contains("virtual");
        assertThat(PipelineSchedule.ZB_H1.refusal(4, 8, 1)).isEmpty();
    }
}
