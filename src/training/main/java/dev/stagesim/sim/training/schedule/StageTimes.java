package dev.stagesim.sim.training.schedule;

import java.util.Arrays;

/**
 * Times of a micro-batch on each stage, all in the same unit.
 *
 * @param forward forward time per stage
 * @param inputGradient input-gradient time per stage, including recomputation
 * @param weightGradient weight-gradient time per stage
 * @param pair time of an overlapped forward and backward pass per stage; their sum if overlap gains nothing
 * @param transfer transfer time of activations or gradients between ranks
 */
public record StageTimes(
        double[] forward, double[] inputGradient, double[] weightGradient, double[] pair, double transfer) {
    public StageTimes {
        int stages = forward.length;
        if (inputGradient.length != stages || weightGradient.length != stages || pair.length != stages) {
            throw new IllegalArgumentException("all arrays must have one entry per stage");
        }
    }

    /** Returns equal stages. */
    public static StageTimes equal(
            int stages, double forward, double inputGradient, double weightGradient, double pair, double transfer) {
        return new StageTimes(
                filled(stages, forward),
                filled(stages, inputGradient),
                filled(stages, weightGradient),
                filled(stages, pair),
                transfer);
    }

    private static double[] filled(int size, double value) {
        double[] values = new double[size];
        Arrays.fill(values, value);
        return values;
    }
}
