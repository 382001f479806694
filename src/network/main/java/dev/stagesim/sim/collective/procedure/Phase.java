package dev.stagesim.sim.collective.procedure;

/**
 * One step of a collective along one dimension, equal for all its chunks and NPUs.
 *
 * @param kind operation of the phase
 * @param dimension dimension whose queues it uses
 * @param allocator counter of the dimension that chooses queue and direction
 * @param algorithm procedure and window
 * @param ring participating NPUs
 * @param size bytes of the chunk at the start of the phase
 * @param isExact whether sizes are rounded up and every reduced receipt is charged; the reference truncates sizes and
 *     charges by counters
 */
public record Phase(
        CollectiveKind kind,
        int dimension,
        Allocator allocator,
        Algorithm algorithm,
        LogicalRing ring,
        long size,
        boolean isExact) {
    /** Counter of a dimension that chooses the next queue. */
    public enum Allocator {
        GENERAL,
        FIRST_HALF,
        SECOND_HALF
    }

    public Procedure procedure() {
        return algorithm.procedure();
    }

    /** Bytes of the chunk at the end of the phase. */
    public long finalSize() {
        return procedure().finalSize(this);
    }

    /** One of n equal parts of the size, rounded up if {@link #isExact}. */
    long part(long n) {
        return isExact ? (size - 1) / n + 1 : size / n;
    }
}
