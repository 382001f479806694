package dev.stagesim.sim.training.schedule;

import java.util.Arrays;

/**
 * Times of a micro-batch on every stage, all in one unit.
 *
 * @param inputGradient of each stage, with what is computed again
 * @param pair an overlapped forward and backward of a stage; their sum where nothing is won
 * @param transfer of activations or gradients between ranks
 */
public record StageTimes(
        double[] forward, double[] inputGradient, double[] weightGradient, double[] pair, double transfer) {
    public StageTimes {
        int stages = forward.length;
        if (inputGradient.length != stages || weightGradient.length != stages || pair.length != stages) {
            throw new IllegalArgumentException("every stage has its times");
        }
    }

    /** Equal stages whose overlapped pairs take as long as their parts. */
    public static StageTimes equal(
            int stages, double forward, double inputGradient, double weightGradient, double transfer) {
        return equal(
                stages, forward, inputGradient, weightGradient, forward + inputGradient + weightGradient, transfer);
    }

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
