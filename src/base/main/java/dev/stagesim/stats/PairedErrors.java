package dev.stagesim.stats;

import java.util.Arrays;

/**
 * Errors of predictions against actual values, pair by pair. Percentages are relative to the actual value.
 *
 * @param nonZero number of pairs with a non-zero actual value; the percentage errors use only these pairs
 * @param mape mean absolute percentage error; NaN if {@code nonZero} is 0, as are {@code medianApe} and {@code mpe}
 * @param medianApe median absolute percentage error
 * @param mpe mean signed percentage error (bias), positive if predictions are too high
 * @param smape symmetric MAPE in [0, 200]: mean of 100 |p - a| / ((|a| + |p|) / 2); pairs of two zeros count as 0
 * @param mae mean absolute error, in the unit of the values
 * @param rmse root mean square error, in the unit of the values
 */
public record PairedErrors(
        int n, int nonZero, double mape, double medianApe, double mpe, double smape, double mae, double rmse) {

    /** Computes the errors of pairs {@code (actual[i], predicted[i])}; at least one is required. */
    public static PairedErrors of(double[] actual, double[] predicted) {
        if (actual.length != predicted.length || actual.length == 0) {
            throw new IllegalArgumentException(actual.length + " actual and " + predicted.length + " predicted values");
        }
        double[] signed = new double[actual.length];
        int nonZero = 0;
        double symmetric = 0;
        double absolute = 0;
        double squares = 0;
        for (int i = 0; i < actual.length; i++) {
            double error = predicted[i] - actual[i];
            double size = (Math.abs(actual[i]) + Math.abs(predicted[i])) / 2;
            absolute += Math.abs(error);
            squares += error * error;
            symmetric += size == 0 ? 0 : Math.abs(error) / size;
            if (actual[i] != 0) {
                signed[nonZero++] = 100 * error / actual[i];
            }
        }
        int n = actual.length;
        double[] percent = Arrays.copyOf(signed, nonZero);
        double[] unsigned = Arrays.stream(percent).map(Math::abs).toArray();
        return new PairedErrors(
                n,
                nonZero,
                nonZero == 0 ? Double.NaN : Moments.mean(unsigned),
                nonZero == 0 ? Double.NaN : Quantiles.of(unsigned, 0.5),
                nonZero == 0 ? Double.NaN : Moments.mean(percent),
                100 * symmetric / n,
                absolute / n,
                Math.sqrt(squares / n));
    }
}
