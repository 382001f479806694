package dev.stagesim.sim.systolic;

/**
 * Traffic between two cycles, both included.
 *
 * @param start first cycle; negative for what is fetched ahead
 * @param stop last cycle
 * @param words words moved
 */
public record Span(long start, long stop, double words) {
    /** Words per cycle. */
    public double bandwidth() {
        return words / (stop - start + 1);
    }
}
