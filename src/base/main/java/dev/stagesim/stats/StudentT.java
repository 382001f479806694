package dev.stagesim.stats;

/** Student's t distribution. */
public final class StudentT {
    private static final int BISECTIONS = 200;
    private static final int TERMS = 400;

    private StudentT() {}

    /** Returns the quantile for {@code q} in [0.5, 1). */
    public static double quantile(double q, int degreesOfFreedom) {
        return Bisection.halve(0, 1e6, t -> cumulative(t, degreesOfFreedom) < q, 0, BISECTIONS)
                .middle();
    }

    /** Returns the cumulative distribution function at {@code t}, which must be at least 0. */
    static double cumulative(double t, int degreesOfFreedom) {
        double x = degreesOfFreedom / (degreesOfFreedom + t * t);
        return 1 - 0.5 * incompleteBeta(degreesOfFreedom / 2.0, 0.5, x);
    }

    /** Regularised incomplete beta function by its continued fraction (Lentz's method). */
    private static double incompleteBeta(double a, double b, double x) {
        if (x <= 0 || x >= 1) {
            return x <= 0 ? 0 : 1;
        }
        double front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
        return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a : 1 - front * fraction(b, a, 1 - x) / b;
    }

    private static double fraction(double a, double b, double x) {
        double c = 1;
        double d = 1 / (1 - (a + b) * x / (a + 1));
        double value = d;
        for (int m = 1; m < TERMS; m++) {
            double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 / (1 + even * d);
            c = 1 + even / c;
            value *= d * c;
            double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
            d = 1 / (1 + odd * d);
            c = 1 + odd / c;
            value *= d * c;
            if (Math.abs(d * c - 1) < 1e-15) {
                break;
            }
        }
        return value;
    }

    /** Logarithm of the gamma function by Stirling's series, shifted up for small arguments. */
    private static double logGamma(double x) {
        double shift = 0;
        double z = x;
        while (z < 10) {
            shift -= Math.log(z);
            z += 1;
        }
        double inverse = 1 / (z * z);
        double series = (1.0 / 12 - inverse * (1.0 / 360 - inverse * (1.0 / 1260 - inverse / 1680))) / z;
        return shift + (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series;
    }
}
