package dev.stagesim.sim.trace.generate;

/**
 * Parameters of a trace pattern.
 *
 * @param likeReference true to reproduce the reference even if its traces cannot run
 * @param runtime duration of a computation in microseconds, unsigned
 * @param tensorSize bytes per memory access, unsigned
 * @param commSize bytes per communication
 * @param numDims number of network dimensions that collectives list as involved; negative to list none
 * @param hasUnsignedSizes true if collective sizes are unsigned, as in schemas up to 0.0.4
 * @param microBatches number of micro-batches in a pipeline
 */
public record PatternOptions(
        boolean likeReference,
        int numNpus,
        long runtime,
        long tensorSize,
        long commSize,
        int numDims,
        boolean hasUnsignedSizes,
        int layers,
        int microBatches) {

    /** Defaults of the reference's command line. */
    public static PatternOptions reference(int numNpus) {
        return new PatternOptions(true, numNpus, 5, 1024, 65_536, -1, false, 3, 64);
    }

    public PatternOptions with(long newRuntime, long newTensorSize, long newCommSize) {
        return new PatternOptions(
                likeReference,
                numNpus,
                newRuntime,
                newTensorSize,
                newCommSize,
                numDims,
                hasUnsignedSizes,
                layers,
                microBatches);
    }

    /** Returns a copy with collectives that list network dimensions. */
    public PatternOptions withDims(int dims, boolean unsignedSizes) {
        return new PatternOptions(
                likeReference, numNpus, runtime, tensorSize, commSize, dims, unsignedSizes, layers, microBatches);
    }

    /** Returns the next processor in a ring of all processors. */
    int after(int npu) {
        return (npu + 1) % numNpus;
    }

    int before(int npu) {
        return (npu + numNpus - 1) % numNpus;
    }
}
