package dev.stagesim.predict.forest;

/** Mean absolute percentage error with the rounding of the reference's grid search. */
public final class PercentageError {
    private static final double PERCENT = 100;
    private static final int LANES = 8;
    private static final int BLOCK = 128;

    private PercentageError() {}

    /** Mean of |measured - predicted| / measured in percent; a measured 0 counts 0 if predicted exactly, else 100. */
    public static double of(double[] measured, double[] predicted) {
        double[] errors = new double[measured.length];
        for (int i = 0; i < errors.length; i++) {
            double y = measured[i];
            errors[i] = y == 0 ? (predicted[i] == 0 ? 0 : PERCENT) : Math.abs((y - predicted[i]) / y) * PERCENT;
        }
        return mean(errors);
    }

    /** Mean with pairwise sums in numpy's order. */
    public static double mean(double[] values) {
        return sum(values, 0, values.length) / values.length;
    }

    private static double sum(double[] values, int from, int n) {
        if (n < LANES) {
            double sum = 0;
            for (int i = 0; i < n; i++) {
                sum += values[from + i];
            }
            return sum;
        }
        if (n > BLOCK) {
            int half = n / 2;
            half -= half % LANES;
            return sum(values, from, half) + sum(values, from + half, n - half);
        }
        double[] r = new double[LANES];
        System.arraycopy(values, from, r, 0, LANES);
        int at = LANES;
        for (; at + LANES <= n; at += LANES) {
            for (int lane = 0; lane < LANES; lane++) {
                r[lane] += values[from + at + lane];
            }
        }
        double sum = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
        for (; at < n; at++) {
            sum += values[from + at];
        }
        return sum;
    }
}
