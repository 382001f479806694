package dev.stagesim.sim.workload;

/**
 * When generation ends: at a number of requests, at a time, or at whichever comes first.
 *
 * @param requests most requests; {@link Integer#MAX_VALUE} for no limit
 * @param seconds requests arrive before this time; infinity for no limit
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
