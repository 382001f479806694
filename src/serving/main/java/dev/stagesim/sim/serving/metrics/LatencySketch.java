package dev.stagesim.sim.serving.metrics;

import dev.stagesim.sim.core.RealMath;
import java.util.Arrays;

/**
 * A quantile sketch with a relative accuracy of 0.1 %: counts in buckets with geometrically increasing bounds (a DDSketch
 * with logarithmic mapping and dense store).
 *
 * <p>A value in the same bucket as the previous one is counted without a logarithm. Memory grows with the logarithm of the
 * range, by about 2300 buckets per factor of 100.
 */
public final class LatencySketch {
    private static final double ACCURACY = 0.001;
    private static final double GAMMA_MINUS_1 = 2 * ACCURACY / (1 - ACCURACY);
    private static final double DOUBT = 1e-6;
    private static final double LN_2 = 0.6931471805599453;

    /** Fraction of a bucket next to each bound; values in it are looked up individually. */
    private static final double EDGE = 1e-5;

    private final RealMath math = new RealMath();
    private final double multiplier = 1 / StrictMath.log1p(GAMMA_MINUS_1) * LN_2;
    private long[] counts = new long[0];
    private int firstKey;
    private long zeros;
    private long total;
    private int lastAt;

    /** Values between these bounds are in the bucket of the last value. */
    private double from = Double.POSITIVE_INFINITY;

    private double to;

    /** Counts one value, which must be at least 0. */
    public void add(double value) {
        add(value, 1);
    }

    /** Counts a value, which must be at least 0, {@code times} times. */
    public void add(double value, int times) {
        total += times;
        if (value > from && value < to) {
            counts[lastAt] += times;
        } else if (value <= 0) {
            zeros += times;
        } else {
            int key = keyOf(value);
            lastAt = indexOf(key);
            bound(value, key);
            counts[lastAt] += times;
        }
    }

    /** Computes bounds slightly inside the bucket of a value: e^x is at least 1 + x, and e^-x is at most 1 - x + x^2. */
    private void bound(double value, int key) {
        double bucket = LN_2 / multiplier;
        double above = key - Math.log(value) / LN_2 * multiplier;
        double down = (1 - above - EDGE) * bucket;
        from = value * (1 - down + down * down);
        to = value * (1 + (above - EDGE) * bucket);
    }

    public long count() {
        return total;
    }

    /** Returns the value with rank {@code q * (count - 1)}, within 0.1 %, or 0 if nothing was counted. */
    public double quantile(double q) {
        double rank = q * (total - 1);
        if (total == 0 || rank < zeros) {
            return 0;
        }
        double left = rank - zeros;
        long seen = 0;
        int last = counts.length - 1;
        for (int i = 0; i <= last; i++) {
            seen += counts[i];
            if (seen > left) {
                return valueOf(firstKey + i);
            }
        }
        return valueOf(firstKey + last);
    }

    /**
     * The logarithm of the library decides unless the value is so close to a bound that its last digits, which differ
     * between machines, matter.
     */
    int keyOf(double value) {
        double about = Math.log(value) / LN_2 * multiplier;
        int key = (int) Math.ceil(about - DOUBT);
        return key == (int) Math.ceil(about + DOUBT) ? key : exactKeyOf(value);
    }

    int exactKeyOf(double value) {
        double log2 = math.log(value) / LN_2;
        return (int) Math.ceil(log2 * multiplier);
    }

    private double valueOf(int key) {
        return math.pow(2, key / multiplier) * (2.0 / (2 + GAMMA_MINUS_1));
    }

    private int indexOf(int key) {
        if (counts.length == 0) {
            counts = new long[256];
            firstKey = key - 128;
        } else if (key < firstKey) {
            int more = firstKey - key + counts.length / 2;
            long[] wider = new long[counts.length + more];
            System.arraycopy(counts, 0, wider, more, counts.length);
            counts = wider;
            firstKey -= more;
        } else if (key - firstKey >= counts.length) {
            counts = Arrays.copyOf(counts, key - firstKey + 1 + counts.length / 2);
        }
        return key - firstKey;
    }
}
