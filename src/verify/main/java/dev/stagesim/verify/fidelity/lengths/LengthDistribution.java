package dev.stagesim.verify.fidelity.lengths;

import dev.stagesim.stats.Bisection;

/**
 * Distribution of lengths relative to their mean.
 *
 * @param low minimum length relative to the mean
 * @param high maximum length relative to the mean
 * @param power 0 for a uniform distribution; otherwise lengths are this power of an exponential variable, truncated at
 *     the maximum: 0.5 narrow, 1 exponential, 2 mostly short with a few very long ones
 */
public record LengthDistribution(double low, double high, double power) {
    /** Bisection steps to find the mean before truncation. */
    private static final int HALVINGS = 40;

    public static final LengthDistribution HUMP = new LengthDistribution(0, 3, 0.5);
    public static final LengthDistribution LONG_TAIL = new LengthDistribution(0, 12, 2);

    public static LengthDistribution even(double low, double high) {
        return new LengthDistribution(low, high, 0);
    }

    /**
     * Returns exponential lengths that are truncated at {@code high} times the mean. The mean is exact after the
     * truncation.
     */
    public static LengthDistribution exponential(double high) {
        return new LengthDistribution(0, Math.max(1.2, Math.min(8, high)), 1);
    }

    /** Returns the quantile of the lengths, in tokens. */
    int at(int mean, double share) {
        double random = -Math.log1p(-share);
        double factor = power == 0
                ? low + (high - low) * share
                : power == 1
                        ? meanBeforeTruncation() * random
                        : Math.pow(random, power) / (power < 1 ? Math.sqrt(Math.PI) / 2 : power);
        return (int) Math.max(1, Math.round(mean * Math.min(high, factor)));
    }

    /** Returns the mean of the exponential variable before the truncation: {@code m (1 - exp(-high / m)) = 1}. */
    private double meanBeforeTruncation() {
        return Bisection.halve(1, 1e3, mean -> -mean * Math.expm1(-high / mean) < 1, 0, HALVINGS)
                .low();
    }
}
