package dev.stagesim.stats;

/**
 * Count, mean, spread and extremes of a sample.
 *
 * @param mean arithmetic mean
 * @param sd standard deviation with denominator n - 1; 0 for a single value
 * @param min minimum
 */
public record Moments(int n, double mean, double sd, double min, double max) {
    /** Computes the moments; at least one value is required. */
    public static Moments of(double[] values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no values");
        }
        double mean = mean(values);
        double squares = 0;
        double min = Double.POSITIVE_INFINITY;
        double max = Double.NEGATIVE_INFINITY;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
            min = Math.min(min, value);
            max = Math.max(max, value);
        }
        double sd = values.length == 1 ? 0 : Math.sqrt(squares / (values.length - 1));
        return new Moments(values.length, mean, sd, min, max);
    }

    /** Coefficient of variation: standard deviation over mean. */
    public double cv() {
        return sd / mean;
    }

    /** Mean with compensated summation, accurate for long samples. */
    public static double mean(double[] values) {
        double sum = 0;
        double lost = 0;
        for (double value : values) {
            double term = value - lost;
            double next = sum + term;
            lost = (next - sum) - term;
            sum = next;
        }
        return sum / values.length;
    }
}
