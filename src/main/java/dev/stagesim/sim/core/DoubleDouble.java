package dev.stagesim.sim.core;

/**
 * Mutable number of about 106 bits: the unevaluated sum {@code hi + lo} of two doubles with {@code |lo| <= ulp(hi)/2}.
 *
 * <p>Mutable so that the elementary functions need no allocation.
 */
final class DoubleDouble {
    double hi;
    double lo;

    DoubleDouble set(double high, double low) {
        double sum = high + low;
        lo = low - (sum - high);
        hi = sum;
        return this;
    }

    DoubleDouble add(double high, double low) {
        double sum = hi + high;
        double part = sum - hi;
        double error = (hi - (sum - part)) + (high - part);
        double tailSum = lo + low;
        double tailPart = tailSum - lo;
        double tailError = (lo - (tailSum - tailPart)) + (low - tailPart);
        set(sum, error + tailSum);
        return set(hi, lo + tailError);
    }

    DoubleDouble multiply(double high, double low) {
        double product = hi * high;
        double error = Math.fma(hi, high, -product);
        return set(product, error + (hi * low + lo * high));
    }

    /** Divides by a double. */
    DoubleDouble divide(double by) {
        double quotient = hi / by;
        double rest = Math.fma(-quotient, by, hi) + lo;
        return set(quotient, rest / by);
    }
}
