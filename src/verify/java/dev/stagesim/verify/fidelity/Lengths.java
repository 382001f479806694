package dev.stagesim.verify.fidelity;

/**
 * How lengths are spread around their mean.
 *
 * @param low least length beside the mean
 * @param high greatest length beside the mean
 * @param power 0 for an even spread; else lengths are that power of an exponential variable, cut at the greatest: 0.5 a
 *     narrow hump, 1 exponential, 2 mostly short with few very long ones
 */
record Lengths(double low, double high, double power) {
    /** Halvings that find how far the mean of what is cut is above the mean of what is left. */
    private static final int HALVINGS = 40;

    static final Lengths HUMP = new Lengths(0, 3, 0.5);
    static final Lengths LONG_TAIL = new Lengths(0, 12, 2);

    static Lengths even(double low, double high) {
        return new Lengths(low, high, 0);
    }

    /** Exponential lengths that end at a greatest one: so many are that long that the mean is what it is. */
    static Lengths exponential(double high) {
        return new Lengths(0, Math.max(1.2, Math.min(8, high)), 1);
    }

    /** The length that a share of all is below. */
    int at(int mean, double share) {
        double random = -Math.log1p(-share);
        double factor = power == 0
                ? low + (high - low) * share
                : power == 1
                        ? uncut() * random
                        : Math.pow(random, power) / (power < 1 ? Math.sqrt(Math.PI) / 2 : power);
        return (int) Math.max(1, Math.round(mean * Math.min(high, factor)));
    }

    /** Mean of the exponential variable before the cut: {@code m (1 - exp(-high / m)) = 1}. */
    private double uncut() {
        double least = 1;
        double most = 1e3;
        for (int i = 0; i < HALVINGS; i++) {
            double middle = (least + most) / 2;
            if (-middle * Math.expm1(-high / middle) < 1) {
                least = middle;
            } else {
                most = middle;
            }
        }
        return least;
    }
}
