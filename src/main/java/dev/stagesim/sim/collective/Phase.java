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
        int charged) {
    /** Which counter of a dimension gives the next queue. */
    enum Allocator {
        GENERAL,
        FIRST_HALF,
        SECOND_HALF
    }

    static Phase of(
            CollectiveKind kind, int dimension, Allocator allocator, Algorithm algorithm, LogicalRing ring, long size) {
        int n = ring.size();
        long share = kind == CollectiveKind.ALL_GATHER ? size : size / n;
        return switch (algorithm.family()) {
            case RING ->
                new Phase(kind, dimension, allocator, Family.RING, ring, size, share, 1, ringSends(kind, n), n - 1);
            case DIRECT -> {
                int window = algorithm.window() == 0 ? n - 1 : Math.min(algorithm.window(), n - 1);
                int sends = kind == CollectiveKind.ALL_REDUCE ? 2 * (n - 1) : n - 1;
                int charged = ring.isGroup() ? (n - 1) * window : window;
                yield new Phase(kind, dimension, allocator, Family.DIRECT, ring, size, share, window, sends, charged);
            }
            case HALVING_DOUBLING -> {
                long first = kind == CollectiveKind.ALL_GATHER ? size : size / 2;
                int log = log2(n);
                int sends = kind == CollectiveKind.ALL_REDUCE ? log2((long) n * n) : log;
                yield new Phase(
                        kind, dimension, allocator, Family.HALVING_DOUBLING, ring, size, first, 1, sends, log - 1);
            }
            case DOUBLE_BINARY_TREE ->
                new Phase(kind, dimension, allocator, Family.DOUBLE_BINARY_TREE, ring, size, size, 1, 0, 0);
        };
    }

    /** Bytes of the chunk at the end of the phase. */
    long finalSize() {
        if (family == Family.DOUBLE_BINARY_TREE) {
            return size;
        }
        return switch (kind) {
            case ALL_REDUCE, ALL_TO_ALL -> size;
            case ALL_GATHER -> size * ring.size();
            case REDUCE_SCATTER -> size / ring.size();
        };
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
