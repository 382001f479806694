package dev.stagesim.sim.systolic.spec;

/**
 * Traffic between two cycles, both inclusive.
 *
 * @param start first cycle; negative for prefetches
 * @param stop last cycle
 * @param words number of words moved
 */
public record TrafficSpan(long start, long stop, double words) {
    /** Average words per cycle. */
    public double bandwidth() {
        return words / (stop - start + 1);
    }
}
