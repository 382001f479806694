package dev.stagesim.sim.trace.generate;

/**
 * Figures that the nodes of a pattern have.
 *
 * @param likeReference whether to follow the reference where its traces cannot be run
 * @param runtime duration of a computation in microseconds, unsigned
 * @param tensorSize bytes of a memory access, unsigned
 * @param commSize bytes of a communication
 * @param numDims network dimensions that collectives name as involved; negative when they name none
 * @param hasUnsignedSizes whether the size of a collective is an unsigned number, as up to schema 0.0.4
 * @param microBatches parts that a pipeline's work comes in
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

    /** What the reference does without arguments. */
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

    /** The same with collectives that name dimensions. */
    public PatternOptions withDims(int dims, boolean unsignedSizes) {
        return new PatternOptions(
                likeReference, numNpus, runtime, tensorSize, commSize, dims, unsignedSizes, layers, microBatches);
    }

    /** The next processor in a ring of all. */
    int after(int npu) {
        return (npu + 1) % numNpus;
    }

    int before(int npu) {
        return (npu + numNpus - 1) % numNpus;
    }
}
