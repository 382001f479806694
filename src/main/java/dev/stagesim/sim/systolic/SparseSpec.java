package dev.stagesim.sim.systolic;

/**
 * How sparse filters are stored.
 *
 * @param format storage format of the report
 * @param isOptimized whether each filter draws its own number of kept weights
 * @param block block size of the optimized mapping
 * @param seed seed of those draws
 */
public record SparseSpec(Format format, boolean isOptimized, int block, long seed) {
    /** Storage formats. */
    public enum Format {
        CSR,
        CSC,
        ELLPACK_BLOCK
    }
}
