package dev.stagesim.sim.trace.generate;

/**
 * The product that the comparisons of parallelisms share: 512 x 512 x 512 with values of two bytes.
 *
 * @param options whether shares are cut off as by the reference, or rounded up so that none is empty
 */
record MatrixProduct(PatternOptions options) {
    static final long SIZE = 512;
    static final long BYTES_PER_VALUE = 2;
    static final int MICRO_BATCHES = 64;

    private static final long KILO_FLOPS = 2 * SIZE * SIZE;

    /** Rows or columns of one of {@code parts}. */
    long share(int parts) {
        return options.likeReference() ? SIZE / parts : (SIZE + parts - 1) / parts;
    }

    /** Time of a product with one side cut to {@code side}. */
    long time(long side) {
        return 2 * side * SIZE * SIZE / KILO_FLOPS;
    }

    /** Bytes of a matrix with one side cut to {@code side}. */
    long bytes(long side) {
        return side * SIZE * BYTES_PER_VALUE;
    }
}
