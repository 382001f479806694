package dev.stagesim.feature.mock;

/** A histogram of delays in steps of 0.05 ms. Delays of more than a second count as one second in quantiles. */
final class DelayHistogram {
    private static final long STEP_NS = 50_000;
    private static final int STEPS = 20_000;

    private final long[] counts = new long[STEPS + 1];
    private long count;
    private long max;

    void add(long ns, long times) {
        counts[(int) Math.min(STEPS, Math.max(0, ns) / STEP_NS)] += times;
        count += times;
        max = Math.max(max, ns);
    }

    /** Returns the number of delays. */
    long count() {
        return count;
    }

    /** Returns the maximum, in ns. */
    long maxNs() {
        return max;
    }

    /** Returns the upper end of the step that contains a quantile, in ns; 0 if the histogram is empty. */
    long quantileNs(double share) {
        long rank = (long) Math.ceil(share * count);
        long below = 0;
        for (int i = 0; i <= STEPS; i++) {
            below += counts[i];
            if (below >= rank && count > 0) {
                return Math.min(max, (i + 1) * STEP_NS);
            }
        }
        return 0;
    }
}
