package dev.stagesim.sim.collective;

/**
 * One step of a collective along one dimension, as all its chunks take it on all NPUs.
 *
 * @param kind what is done
 * @param dimension whose queues are used
 * @param allocator which of the dimension's allocators picks queue and direction
 * @param algorithm by which procedure
 * @param ring the NPUs that take part
 * @param size bytes of the chunk at the start of the phase
 * @param isExact whether sizes that do not divide are rounded up and every receipt of a reduction is charged; the
 *     reference cuts sizes and charges by counters
 */
record Phase(
        CollectiveKind kind,
        int dimension,
        Allocator allocator,
        Algorithm algorithm,
        LogicalRing ring,
        long size,
        boolean isExact) {
    /** Which counter of a dimension gives the next queue. */
    enum Allocator {
        GENERAL,
        FIRST_HALF,
        SECOND_HALF
    }

    Procedure procedure() {
        return algorithm.procedure();
    }

    /** Bytes of the chunk at the end of the phase. */
    long finalSize() {
        return procedure().finalSize(this);
    }

    /** One of n equal parts of the size; the largest of them where they cannot be equal. */
    long part(long n) {
        return isExact ? (size - 1) / n + 1 : size / n;
    }
}
