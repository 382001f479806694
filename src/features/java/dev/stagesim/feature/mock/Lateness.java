package dev.stagesim.feature.mock;

/** How late things happened, in steps of 0.05 ms up to a second; later ones count as a second for percentiles. */
public final class Lateness {
    private static final long STEP_NS = 50_000;
    private static final int STEPS = 20_000;

    private final long[] counts = new long[STEPS + 1];
    private long count;
    private long most;

    void add(long ns, long times) {
        counts[(int) Math.min(STEPS, Math.max(0, ns) / STEP_NS)] += times;
        count += times;
        most = Math.max(most, ns);
    }

    /** How many there were. */
    public long count() {
        return count;
    }

    /** Greatest, in ns. */
    public long mostNs() {
        return most;
    }

    /** Upper end of the step that a share of all is within, in ns; 0 when there are none. */
    public long quantileNs(double share) {
        long rank = (long) Math.ceil(share * count);
        long below = 0;
        for (int i = 0; i <= STEPS; i++) {
            below += counts[i];
            if (below >= rank && count > 0) {
                return Math.min(most, (i + 1) * STEP_NS);
            }
        }
        return 0;
    }
}
