package dev.stagesim.sim.training;

import dev.stagesim.sim.training.schedule.PipelineSchedule;

/** Makespans of pipeline schedules in closed form: the fullest rank works without a pause, the others fill and drain. */
final class ClosedForm {
    private ClosedForm() {}

    /** Seconds of the schedule's micro-batches over stages with these times. */
    static double makespan(
            Strategy s, int microBatches, double[] forward, double[] input, double[] weight, double transfer) {
        int p = s.pipeline();
        double[] ranks = new double[p];
        double sumForward = 0;
        double sumInput = 0;
        double sumWeight = 0;
        for (int rank = 0; rank < p; rank++) {
            double all = 0;
            for (int i = rank; i < forward.length; i += p) {
                all += forward[i] + input[i] + weight[i];
                sumForward += forward[i];
                sumInput += input[i];
                sumWeight += weight[i];
            }
            ranks[rank] = all;
        }
        double most = 0;
        for (int rank = 0; rank < p; rank++) {
            // DualPipe gives a rank a stage of each direction, for half of the micro-batches each.
            boolean isBoth = s.schedule() == PipelineSchedule.DUALPIPE;
            most = Math.max(most, isBoth ? (ranks[rank] + ranks[p - 1 - rank]) / 2 : ranks[rank]);
        }
        double steady = microBatches * most;
        if (p == 1) {
            return steady;
        }
        // every chunk of every micro-batch passes each border once in either direction
        steady = Math.max(steady, (double) microBatches * forward.length / p * transfer);
        double f = sumForward / p;
        double b = sumInput / p;
        double w = sumWeight / p;
        double chunks = (double) forward.length / p;
        double bubble =
                switch (s.schedule()) {
                    case ZB_H1, ZB_H2 -> (p - 1) * Math.max(f, f + b - w);
                    case ZB_V, V_HALF, V_MIN -> (p - 1) * f / 2;
                    case DUALPIPE, DUALPIPE_V -> (p / 2.0 - 1) * Math.max(f, f + 2 * b - w);
                    default -> (p - 1) * (f + b + w) / chunks;
                };
        return steady + bubble + 2 * (p - 1) * transfer;
    }
}
