package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.Algorithm.Family;

/**
 * One step of a collective along one dimension, as all its chunks take it on all NPUs.
 *
 * @param kind what is done
 * @param dimension whose queues are used
 * @param allocator which of the dimension's allocators picks queue and direction
 * @param family by which procedure
 * @param ring the NPUs that take part
 * @param size bytes of the chunk at the start of the phase
 * @param message bytes of a message; of the first one where they vary
 * @param window messages in flight
 * @param sends messages that each NPU sends
 * @param charged receipts in a round that pass the bus with the reduction, after the first ones that do not
 * @param isExact whether sizes that do not divide are rounded up and every receipt of a reduction is charged; the
 *     reference cuts sizes and charges by counters
 */
record Phase(
        CollectiveKind kind,
        int dimension,
        Allocator allocator,
        Family family,
        LogicalRing ring,
        long size,
        long message,
        int window,
        int sends,
        int charged,
        boolean isExact) {
    /** Which counter of a dimension gives the next queue. */
    enum Allocator {
        GENERAL,
        FIRST_HALF,
        SECOND_HALF
    }

    static Phase of(
            CollectiveKind kind,
            int dimension,
            Allocator allocator,
            Algorithm algorithm,
            LogicalRing ring,
            long size,
            boolean isExact) {
        int n = ring.size();
        long share = kind == CollectiveKind.ALL_GATHER ? size : part(size, n, isExact);
        return switch (algorithm.family()) {
            case RING ->
                new Phase(
                        kind,
                        dimension,
                        allocator,
                        Family.RING,
                        ring,
                        size,
                        share,
                        1,
                        ringSends(kind, n),
                        n - 1,
                        isExact);
            case DIRECT -> {
                int window = algorithm.window() == 0 ? n - 1 : Math.min(algorithm.window(), n - 1);
                int sends = kind == CollectiveKind.ALL_REDUCE ? 2 * (n - 1) : n - 1;
                int charged = ring.isGroup() ? (n - 1) * window : window;
                yield new Phase(
                        kind, dimension, allocator, Family.DIRECT, ring, size, share, window, sends, charged, isExact);
            }
            case HALVING_DOUBLING -> halvingDoubling(kind, dimension, allocator, ring, size, isExact);
            case DOUBLE_BINARY_TREE ->
                new Phase(kind, dimension, allocator, Family.DOUBLE_BINARY_TREE, ring, size, size, 1, 0, 0, isExact);
        };
    }

    private static Phase halvingDoubling(
            CollectiveKind kind, int dimension, Allocator allocator, LogicalRing ring, long size, boolean isExact) {
        int n = ring.size();
        long first = kind == CollectiveKind.ALL_GATHER ? size : part(size, 2, isExact);
        int log = log2(n);
        int sends = kind == CollectiveKind.ALL_REDUCE ? log2((long) n * n) : log;
        return new Phase(
                kind, dimension, allocator, Family.HALVING_DOUBLING, ring, size, first, 1, sends, log - 1, isExact);
    }

    /** Bytes of the chunk at the end of the phase. */
    long finalSize() {
        if (family == Family.DOUBLE_BINARY_TREE) {
            return size;
        }
        return switch (kind) {
            case ALL_REDUCE, ALL_TO_ALL -> size;
            case ALL_GATHER -> Math.multiplyExact(size, (long) ring.size());
            case REDUCE_SCATTER -> part(size, ring.size(), isExact);
        };
    }

    /** One of n equal parts of a size; the largest of them where they cannot be equal. */
    static long part(long size, long n, boolean isExact) {
        return isExact ? (size - 1) / n + 1 : size / n;
    }

    private static int ringSends(CollectiveKind kind, int n) {
        return switch (kind) {
            case ALL_REDUCE -> 2 * (n - 1);
            case ALL_GATHER, REDUCE_SCATTER -> n - 1;
            case ALL_TO_ALL -> Math.toIntExact((long) n * (n - 1) / 2);
        };
    }

    private static int log2(long number) {
        return 63 - Long.numberOfLeadingZeros(number);
    }
}
