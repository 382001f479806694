package dev.stagesim.stats;

/**
 * Bland-Altman agreement of paired values: mean of the differences b - a and the limits mean +- 1.96 standard
 * deviations. About 95 % of near-normal differences are within the limits.
 *
 * @param bias mean difference
 * @param low lower limit of agreement
 * @param high upper limit of agreement
 */
public record BlandAltman(int n, double bias, double sd, double low, double high) {
    private static final double NORMAL_95 = 1.96;

    /** Computes the statistics; at least one pair is required. */
    public static BlandAltman of(double[] a, double[] b) {
        if (a.length != b.length) {
            throw new IllegalArgumentException("pairs of " + a.length + " and " + b.length);
        }
        double[] difference = new double[a.length];
        for (int i = 0; i < a.length; i++) {
            difference[i] = b[i] - a[i];
        }
        Moments moments = Moments.of(difference);
        double reach = NORMAL_95 * moments.sd();
        return new BlandAltman(a.length, moments.mean(), moments.sd(), moments.mean() - reach, moments.mean() + reach);
    }
}
