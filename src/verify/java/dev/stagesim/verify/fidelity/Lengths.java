package dev.stagesim.verify.fidelity;

/**
 * How lengths are spread around their mean.
 *
 * @param low least length beside the mean, of an even spread
 * @param high greatest length beside the mean; where it is infinite, lengths are a power of an exponential variable
 * @param power that power: 0.5 a narrow hump, 1 exponential, 2 mostly short with few very long ones
 */
record Lengths(double low, double high, double power) {
    /** Mean of the power of an exponential variable is the gamma function one above it; these are used. */
    private static final double HALF = Math.sqrt(Math.PI) / 2;

    private static final double MOST = 12;
    private static final double MOST_OF_HUMP = 3;

    static final Lengths ALIKE = even(1, 1);
    static final Lengths HUMP = powered(0.5);
    static final Lengths LONG_TAIL = powered(2);

    static Lengths even(double low, double high) {
        return new Lengths(low, high, 0);
    }

    private static Lengths powered(double power) {
        return new Lengths(0, Double.POSITIVE_INFINITY, power);
    }

    /** The length that a share of all is below. */
    int at(int mean, double share) {
        double factor = Double.isInfinite(high)
                ? Math.min(most(), Math.pow(-Math.log1p(-share), power) / (power < 1 ? HALF : power))
                : low + (high - low) * share;
        return (int) Math.max(1, Math.round(mean * factor));
    }

    /** The greatest length beside the mean. */
    double most() {
        return Math.min(high, power < 1 ? MOST_OF_HUMP : MOST);
    }
}
