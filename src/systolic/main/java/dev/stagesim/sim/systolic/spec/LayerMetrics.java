package dev.stagesim.sim.systolic.spec;

import java.util.Optional;

/**
 * Results of one layer.
 *
 * @param totalCycles reported cycles of the layer
 * @param stallCycles cycles spent waiting for memory
 * @param overallUtilization useful work of the whole array over all cycles, in percent
 * @param mappingEfficiency array elements in use, in percent
 * @param computeUtilization array elements in use while operands stream, in percent
 * @param image traffic of the image
 * @param filter traffic of the filters
 * @param output traffic of the output
 * @param sparse storage of sparse filters
 * @param isImageReadsFractional true if the image reads are scaled by the sparsity and may be fractional
 */
public record LayerMetrics(
        LayerShape layer,
        long totalCycles,
        long stallCycles,
        double overallUtilization,
        double mappingEfficiency,
        double computeUtilization,
        OperandTraffic image,
        OperandTraffic filter,
        OperandTraffic output,
        Optional<SparseStorageSize> sparse,
        boolean isImageReadsFractional) {

    /** Cycles from the first fetch to the last write to DRAM. */
    public long cyclesWithPrefetch() {
        return output.dram().stop()
                - Math.min(image.dram().start(), filter.dram().start());
    }
}
