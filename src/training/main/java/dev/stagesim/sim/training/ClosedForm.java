package dev.stagesim.sim.training;

import dev.stagesim.sim.training.schedule.PipelineSchedule;
import dev.stagesim.sim.training.schedule.StageTimes;
import dev.stagesim.sim.training.schedule.Timeline;
import java.util.function.IntToDoubleFunction;

/**
 * Makespans of pipeline schedules in closed form: the fullest rank works without a pause, the others fill and drain.
 *
 * <p>The V schedules, whose order is greedy, have none: their beginning is run, and the rest of the micro-batches take as long as those
 * before.
 */
final class ClosedForm {
    /** Micro-batches a rank after which a pipeline repeats itself. */
    private static final int SETTLED = 2;

    private ClosedForm() {}

    /** Seconds of the schedule's micro-batches over stages with these times. */
    static double makespan(
            Strategy s, int microBatches, double[] forward, double[] input, double[] weight, double transfer) {
        int p = s.pipeline();
        boolean isGreedy = s.schedule() == PipelineSchedule.ZB_V
                || s.schedule() == PipelineSchedule.V_HALF
                || s.schedule() == PipelineSchedule.V_MIN;
        if (p > 1 && isGreedy) {
            StageTimes times = new StageTimes(forward, input, weight, weight, transfer);
            return repeated(microBatches, p, some -> run(s, some, times));
        }
        return new Ranks(s, forward, input, weight).makespan(microBatches, transfer);
    }

    /** Seconds of micro-batches of which the first are run; the rest take as long as the last of those. */
    static double repeated(int microBatches, int ranks, IntToDoubleFunction run) {
        int settled = Math.min(microBatches, SETTLED * ranks);
        int later = atMostRun(microBatches, ranks);
        double end = run.applyAsDouble(later);
        return later == microBatches
                ? end
                : end + (microBatches - later) * (end - run.applyAsDouble(settled)) / (later - settled);
    }

    /** Micro-batches that {@link #repeated} runs at most. */
    static int atMostRun(int microBatches, int ranks) {
        return Math.min(microBatches, (SETTLED + 1) * ranks);
    }

    /** What the ranks have to do for a micro-batch. */
    private static final class Ranks {
        private final Strategy s;
        private final int p;
        private final int chunks;
        private final double[] work;
        /** What a micro-batch passes before its gradient is back: without the gradients of weights where those wait. */
        private final double[] way;

        private double f;
        private double b;
        private double w;

        Ranks(Strategy s, double[] forward, double[] input, double[] weight) {
            this.s = s;
            p = s.pipeline();
            chunks = forward.length / p;
            work = new double[p];
            way = new double[p];
            for (int rank = 0; rank < p; rank++) {
                for (int chunk = 0; chunk < chunks; chunk++) {
                    int i = s.stage(rank, chunk);
                    work[rank] += forward[i] + input[i] + weight[i];
                    way[rank] += forward[i] + input[i] + (s.schedule().splitsBackward() ? 0 : weight[i]);
                    f += forward[i] / p;
                    b += input[i] / p;
                    w += weight[i] / p;
                }
            }
        }

        double makespan(int microBatches, double transfer) {
            double most = 0;
            for (int rank = 0; rank < p; rank++) {
                // DualPipe gives a rank a stage of each direction, for half of the micro-batches each.
                boolean isBoth = s.schedule() == PipelineSchedule.DUALPIPE;
                most = Math.max(most, isBoth ? (work[rank] + work[p - 1 - rank]) / 2 : work[rank]);
            }
            if (p == 1) {
                return microBatches * most;
            }
            // every chunk of every micro-batch passes each border once in either direction
            double steady = microBatches * Math.max(most, chunks * transfer);
            double waiting = Math.max(0, microBatches * (period(most, transfer) - most) - 2 * transfer);
            return Math.max(steady, microBatches * most + waiting) + filling(transfer);
        }

        /**
         * Seconds between micro-batches. Where a rank lets in only so many as there are ranks from it to the last, each of them is on its
         * way there and back as long as the others together take.
         */
        private double period(double most, double transfer) {
            double period = most;
            switch (s.schedule()) {
                case ONE_F_ONE_B, ZB_H1 -> {
                    double behind = 0;
                    for (int ranks = 1; ranks <= p; ranks++) {
                        behind += way[p - ranks];
                        period = Math.max(period, (behind + 2 * (ranks - 1) * transfer) / ranks);
                    }
                }
                case DUALPIPE, DUALPIPE_V -> period += chunks * transfer * (p - 1) / p;
                default -> {}
            }
            return period;
        }

        /** What the pipeline waits while it fills and drains, with transfers that nothing hides then. */
        private double filling(double transfer) {
            return switch (s.schedule()) {
                case ZB_H1 -> (p - 1) * (Math.max(f, f + b - w) + 4 * transfer);
                case ZB_H2 -> (p - 1) * Math.max(f + transfer, f + b - 2 * w + 2 * transfer);
                case DUALPIPE -> (p / 2.0 - 1) * Math.max(f, f + 2 * b - w) + 2 * (p - 1) * transfer;
                case DUALPIPE_V -> (p - 1) / 2.0 * Math.max(f, f + 2 * b - w) + 2 * (p - 1) * transfer;
                default -> (p - 1) * (f + b + w) / chunks + 2 * (p * chunks - 1.0) * transfer;
            };
        }
    }

    private static double run(Strategy s, int microBatches, StageTimes times) {
        return Timeline.of(s.schedule().order(s.pipeline(), microBatches, s.virtual()), times)
                .makespan();
    }
}
