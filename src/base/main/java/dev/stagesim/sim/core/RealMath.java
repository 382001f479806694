package dev.stagesim.sim.core;

/**
 * Natural logarithm, exponential and power, rounded to nearest. They are evaluated to about 95 bits, so only about one
 * result in 2^40 is not correctly rounded.
 *
 * <p>The results are identical on every machine, in contrast to {@link Math}. They equal the results of the C library
 * that Python uses, in contrast to {@link StrictMath}. Instances are small and not thread-safe. A logarithm takes 50
 * ns.
 */
public final class RealMath {
    private static final double LN2_HIGH = 0x1.62e42fefa3800p-1;
    private static final double LN2_LOW = 0x1.ef35793c76730p-45;
    private static final int LOG_FIRST = 90;
    private static final int LOG_LAST = 182;
    private static final int LOG_EXACT_TERMS = 6;
    private static final int EXP_STEPS = 64;
    private static final int EXP_TERMS = 10;
    private static final double MAX_EXPONENT = 690.0;
    private static final Tables TABLES = new Tables();

    private final DoubleDouble sum = new DoubleDouble();
    private final DoubleDouble power = new DoubleDouble();

    /**
     * Returns the natural logarithm, with the values of {@link StrictMath#log} at zero, negative numbers, infinity and
     * NaN.
     */
    public double log(double x) {
        if (!(x >= Double.MIN_NORMAL) || x == Double.POSITIVE_INFINITY) {
            return StrictMath.log(x);
        }
        logarithm(x);
        return sum.hi;
    }

    /** Returns the exponential; overflows to infinity and underflows to zero like {@link StrictMath#exp}. */
    public double exp(double x) {
        if (!(Math.abs(x) < MAX_EXPONENT)) {
            return StrictMath.exp(x);
        }
        sum.set(x, 0);
        return exponential();
    }

    /** Returns {@code x} to the power {@code y}, with the special values of {@link StrictMath#pow}. */
    public double pow(double x, double y) {
        boolean isOrdinary = x >= Double.MIN_NORMAL && x < Double.POSITIVE_INFINITY && Math.abs(y) < 0x1p100;
        if (!isOrdinary || x == 1.0 || y == 0.0) {
            return StrictMath.pow(x, y);
        }
        logarithm(x);
        sum.multiply(y, 0);
        return Math.abs(sum.hi) < MAX_EXPONENT ? exponential() : StrictMath.pow(x, y);
    }

    /** Stores ln(x) in {@link #sum}, for a normal positive x. */
    private void logarithm(double x) {
        int exponent = Math.getExponent(x);
        double mantissa = Math.scalb(x, -exponent);
        if (mantissa > 1.4140625) {
            mantissa *= 0.5;
            exponent++;
        }
        int at = (int) Math.rint(mantissa * 128.0) - LOG_FIRST;
        double inverse = TABLES.inverse[at];
        double product = mantissa * inverse;
        double rest = product - 1.0;
        // exact: the product is near 1, and the low part is the rounding error of the product
        power.set(rest, Math.fma(mantissa, inverse, -product));
        logOnePlus(sum, power.hi, power.lo);
        sum.add(TABLES.logHigh[at], TABLES.logLow[at]);
        sum.add(exponent * LN2_HIGH, exponent * LN2_LOW);
    }

    /** Sets {@code into} to ln(1 + r) for |r| below 1/128. Plain doubles suffice for the high-order terms. */
    private static void logOnePlus(DoubleDouble into, double high, double low) {
        double tail = 0;
        for (int n = 15; n > LOG_EXACT_TERMS; n--) {
            tail = (n % 2 == 0 ? -1.0 : 1.0) / n + high * tail;
        }
        into.set(tail, 0);
        for (int n = LOG_EXACT_TERMS; n > 0; n--) {
            into.multiply(high, low).add(TABLES.seriesHigh[n], TABLES.seriesLow[n]);
        }
        into.multiply(high, low);
    }

    /** Returns e to the power of {@link #sum}, which has a magnitude below {@link #MAX_EXPONENT}. */
    private double exponential() {
        int steps = (int) Math.rint(sum.hi * (EXP_STEPS / (LN2_HIGH + LN2_LOW)));
        double whole = -steps * (LN2_HIGH / EXP_STEPS);
        double error = Math.fma(-steps, LN2_HIGH / EXP_STEPS, -whole);
        sum.add(whole, error - steps * (LN2_LOW / EXP_STEPS));
        taylor(power, sum.hi, sum.lo);
        int at = Math.floorMod(steps, EXP_STEPS);
        power.multiply(TABLES.powerHigh[at], TABLES.powerLow[at]);
        return Math.scalb(power.hi, Math.floorDiv(steps, EXP_STEPS));
    }

    /** Sets {@code into} to e^r for |r| below 0.02. */
    private static void taylor(DoubleDouble into, double high, double low) {
        into.set(1, 0);
        for (int n = EXP_TERMS; n > 0; n--) {
            into.multiply(high, low).divide(n).add(1, 0);
        }
    }

    /** Constants, computed once to the same precision. */
    private static final class Tables {
        private final double[] inverse = new double[LOG_LAST - LOG_FIRST + 1];
        private final double[] logHigh = new double[inverse.length];
        private final double[] logLow = new double[inverse.length];
        private final double[] seriesHigh = new double[LOG_EXACT_TERMS + 1];
        private final double[] seriesLow = new double[LOG_EXACT_TERMS + 1];
        private final double[] powerHigh = new double[EXP_STEPS];
        private final double[] powerLow = new double[EXP_STEPS];

        Tables() {
            DoubleDouble value = new DoubleDouble();
            for (int n = 1; n <= LOG_EXACT_TERMS; n++) {
                value.set(n % 2 == 0 ? -1 : 1, 0).divide(n);
                seriesHigh[n] = value.hi;
                seriesLow[n] = value.lo;
            }
            for (int i = 0; i < inverse.length; i++) {
                inverse[i] = Math.rint(1024.0 * 128.0 / (i + LOG_FIRST)) / 1024.0;
                minusLog(value, inverse[i]);
                logHigh[i] = value.hi;
                logLow[i] = value.lo;
            }
            for (int j = 0; j < EXP_STEPS; j++) {
                rootOfTwo(value, j);
                powerHigh[j] = value.hi;
                powerLow[j] = value.lo;
            }
        }

        /** Sets {@code into} to -ln(c) = 2 artanh((1 - c)/(1 + c)), by its series; c is near 1 and has few bits. */
        private static void minusLog(DoubleDouble into, double c) {
            DoubleDouble ratio = new DoubleDouble().set(1 - c, 0).divide(1 + c);
            DoubleDouble square = new DoubleDouble().set(ratio.hi, ratio.lo).multiply(ratio.hi, ratio.lo);
            DoubleDouble term = new DoubleDouble();
            into.set(0, 0);
            for (int n = 61; n > 0; n -= 2) {
                term.set(1, 0).divide(n);
                into.multiply(square.hi, square.lo).add(term.hi, term.lo);
            }
            into.multiply(2 * ratio.hi, 2 * ratio.lo);
        }

        /** Sets {@code into} to 2^(j/64), by the full series of the exponential. */
        private static void rootOfTwo(DoubleDouble into, int j) {
            DoubleDouble x = new DoubleDouble().set(LN2_HIGH, LN2_LOW).multiply(j / (double) EXP_STEPS, 0);
            into.set(1, 0);
            for (int n = 32; n > 0; n--) {
                into.multiply(x.hi, x.lo).divide(n).add(1, 0);
            }
        }
    }

    /**
     * A mutable number of about 106 bits: the unevaluated sum {@code hi + lo} of two doubles with {@code
     * lo
     *  <= ulp(hi)/2}.
     *
     * <p>It is mutable so that the elementary functions need no allocation.
     */
    private static final class DoubleDouble {
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

        DoubleDouble divide(double by) {
            double quotient = hi / by;
            double rest = Math.fma(-quotient, by, hi) + lo;
            return set(quotient, rest / by);
        }
    }
}
