package dev.stagesim.sim.systolic.spec;

/**
 * Storage of sparse filters.
 *
 * @param format storage format of the report
 * @param isOptimized true for row-wise sparsity: each filter keeps a random number of weights
 * @param block block size for row-wise sparsity
 * @param seed seed of the random numbers
 */
public record SparseSpec(Format format, boolean isOptimized, int block, long seed) {
    /** Storage formats. */
    public enum Format {
        CSR,
        CSC,
        ELLPACK_BLOCK
    }
}
