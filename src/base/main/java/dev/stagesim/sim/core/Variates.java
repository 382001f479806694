package dev.stagesim.sim.core;

/**
 * Samples of the exponential, normal and gamma distributions, by the algorithms and in the draw order of numpy's legacy
 * {@code RandomState}.
 *
 * <p>The polar method produces normal variates in pairs; the second is kept for the next call.
 */
public final class Variates {
    private final RandomSource random;
    private final RealMath math = new RealMath();
    private boolean hasSpare;
    private double spare;

    public Variates(RandomSource random) {
        this.random = random;
    }

    /** Returns an exponential variate with mean 1. */
    public double exponential() {
        return -math.log(1.0 - random.nextDouble());
    }

    /** Returns a normal variate with mean 0 and variance 1. */
    public double normal() {
        if (hasSpare) {
            hasSpare = false;
            return spare;
        }
        double x1;
        double x2;
        double r2;
        do {
            x1 = 2.0 * random.nextDouble() - 1.0;
            x2 = 2.0 * random.nextDouble() - 1.0;
            r2 = x1 * x1 + x2 * x2;
        } while (r2 >= 1.0 || r2 == 0.0);
        double scale = Math.sqrt(-2.0 * math.log(r2) / r2);
        spare = scale * x1;
        hasSpare = true;
        return scale * x2;
    }

    /**
     * Returns a gamma variate with scale 1: exponential for shape 1, Ahrens-Dieter below, Marsaglia-Tsang above.
     *
     * @throws IllegalArgumentException if the shape is negative or NaN
     */
    public double gamma(double shape) {
        if (!(shape >= 0)) {
            throw new IllegalArgumentException("shape must not be negative, got " + shape);
        }
        if (shape == 1.0) {
            return exponential();
        }
        if (shape == 0.0) {
            return 0.0;
        }
        return shape < 1.0 ? gammaBelowOne(shape) : gammaAboveOne(shape);
    }

    private double gammaBelowOne(double shape) {
        while (true) {
            double u = random.nextDouble();
            double v = exponential();
            if (u <= 1.0 - shape) {
                double x = math.pow(u, 1.0 / shape);
                if (x <= v) {
                    return x;
                }
            } else {
                double y = -math.log((1.0 - u) / shape);
                double x = math.pow(1.0 - shape + shape * y, 1.0 / shape);
                if (x <= v + y) {
                    return x;
                }
            }
        }
    }

    private double gammaAboveOne(double shape) {
        double b = shape - 1.0 / 3.0;
        double c = 1.0 / Math.sqrt(9.0 * b);
        while (true) {
            double x;
            double v;
            do {
                x = normal();
                v = 1.0 + c * x;
            } while (v <= 0.0);
            v = v * v * v;
            double u = random.nextDouble();
            if (u < 1.0 - 0.0331 * (x * x) * (x * x)) {
                return b * v;
            }
            if (math.log(u) < 0.5 * x * x + b * (1.0 - v + math.log(v))) {
                return b * v;
            }
        }
    }
}
