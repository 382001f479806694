package dev.stagesim.sim.workload;

/**
 * End of generation: at a number of requests or at a time, whichever is earlier.
 *
 * @param requests maximum requests, or {@link Integer#MAX_VALUE}
 * @param seconds requests arrive before this time; infinity means no limit
 */
public record StopRule(int requests, double seconds) {
    public StopRule {
        if (requests < 0 || !(seconds > 0)) {
            throw new IllegalArgumentException("requests " + requests + ", seconds " + seconds);
        }
    }

    boolean isTimed() {
        return seconds < Double.POSITIVE_INFINITY;
    }
}
