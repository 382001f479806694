package dev.stagesim.sim.training;

import dev.stagesim.sim.training.schedule.PipelineSchedule;
import dev.stagesim.sim.training.schedule.StageTimes;
import dev.stagesim.sim.training.schedule.Timeline;
import java.util.function.IntToDoubleFunction;

/**
 * Closed-form makespans of pipeline schedules: the busiest rank works without interruption, plus the time to fill and drain the pipeline.
 *
 * <p>There is no closed form for the greedy V schedules. Their first micro-batches are simulated, and the time of the remaining
 * micro-batches is extrapolated.
 */
final class ClosedForm {
    /** Micro-batches per rank after which a pipeline reaches its steady state. */
    private static final int SETTLED = 2;

    private ClosedForm() {}

    /** Returns the makespan in seconds of a step. */
    static double makespan(Strategy s, int microBatches, StepEstimate.Stages stages) {
        int p = s.pipeline();
        boolean isGreedy = s.schedule() == PipelineSchedule.ZB_V
                || s.schedule() == PipelineSchedule.V_HALF
                || s.schedule() == PipelineSchedule.V_MIN;
        if (p > 1 && isGreedy) {
            StageTimes times = new StageTimes(
                    stages.forward(), stages.input(), stages.weight(), stages.weight(), stages.transfer());
            return extrapolate(microBatches, p, count -> run(s, count, times));
        }
        return new Ranks(s, stages.forward(), stages.input(), stages.weight())
                .makespan(microBatches, stages.transfer());
    }

    /** Simulates the first micro-batches with {@code run} and extrapolates the steady state linearly to all micro-batches. */
    static double extrapolate(int microBatches, int ranks, IntToDoubleFunction run) {
        int settled = Math.min(microBatches, SETTLED * ranks);
        int later = maxSimulated(microBatches, ranks);
        double end = run.applyAsDouble(later);
        return later == microBatches
                ? end
                : end + (microBatches - later) * (end - run.applyAsDouble(settled)) / (later - settled);
    }

    /** Returns the maximum number of micro-batches that {@link #extrapolate} simulates. */
    static int maxSimulated(int microBatches, int ranks) {
        return Math.min(microBatches, (SETTLED + 1) * ranks);
    }

    /** Work of each rank per micro-batch. */
    private static final class Ranks {
        private final Strategy s;
        private final int p;
        private final int chunks;
        private final double[] work;
        /** Seconds of each rank on the path of a micro-batch and its gradient; excludes weight gradients that the schedule defers. */
        private final double[] roundTrip;

        private double f;
        private double b;
        private double w;

        Ranks(Strategy s, double[] forward, double[] input, double[] weight) {
            this.s = s;
            p = s.pipeline();
            chunks = forward.length / p;
            work = new double[p];
            roundTrip = new double[p];
            for (int rank = 0; rank < p; rank++) {
                for (int chunk = 0; chunk < chunks; chunk++) {
                    int i = s.stage(rank, chunk);
                    work[rank] += forward[i] + input[i] + weight[i];
                    roundTrip[rank] += forward[i] + input[i] + (s.schedule().splitsBackward() ? 0 : weight[i]);
                    f += forward[i] / p;
                    b += input[i] / p;
                    w += weight[i] / p;
                }
            }
        }

        double makespan(int microBatches, double transfer) {
            double busiest = 0;
            for (int rank = 0; rank < p; rank++) {
                // DualPipe: each rank has one stage per direction, with half of the micro-batches each.
                boolean isBoth = s.schedule() == PipelineSchedule.DUALPIPE;
                busiest = Math.max(busiest, isBoth ? (work[rank] + work[p - 1 - rank]) / 2 : work[rank]);
            }
            if (p == 1) {
                return microBatches * busiest;
            }
            // Each chunk of each micro-batch crosses each rank boundary once per direction.
            double steady = microBatches * Math.max(busiest, chunks * transfer);
            double waiting = Math.max(0, microBatches * (period(busiest, transfer) - busiest) - 2 * transfer);
            return Math.max(steady, microBatches * busiest + waiting) + fillAndDrain(transfer);
        }

        /**
         * Returns the seconds between micro-batches. Schedules that limit the micro-batches in flight at a rank to the number of ranks
         * from it to the last have a minimum period: the round trip of a micro-batch divided by this limit.
         */
        private double period(double busiest, double transfer) {
            double period = busiest;
            switch (s.schedule()) {
                case ONE_F_ONE_B, ZB_H1 -> {
                    double downstream = 0;
                    for (int ranks = 1; ranks <= p; ranks++) {
                        downstream += roundTrip[p - ranks];
                        period = Math.max(period, (downstream + 2 * (ranks - 1) * transfer) / ranks);
                    }
                }
                case DUALPIPE, DUALPIPE_V -> period += chunks * transfer * (p - 1) / p;
                default -> {}
            }
            return period;
        }

        /** Returns the idle seconds while the pipeline fills and drains, including exposed transfers. */
        private double fillAndDrain(double transfer) {
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
