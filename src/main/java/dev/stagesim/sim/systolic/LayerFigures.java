package dev.stagesim.sim.systolic;

import java.util.Optional;

/**
 * What a layer costs.
 *
 * @param totalCycles cycles of the layer as reported
 * @param stallCycles cycles waited for memory
 * @param overallUtilization useful work of the whole array over all cycles, percent
 * @param mappingEfficiency elements of the array in use, percent
 * @param computeUtilization the same while operands stream, percent
 * @param image traffic of the image
 * @param filter traffic of the filters
 * @param output traffic of the output
 * @param sparse storage of sparse filters
 * @param isImageReadsFractional whether the reads of the image are scaled by the sparsity
 */
public record LayerFigures(
        LayerShape layer,
        long totalCycles,
        long stallCycles,
        double overallUtilization,
        double mappingEfficiency,
        double computeUtilization,
        OperandFigures image,
        OperandFigures filter,
        OperandFigures output,
        Optional<SparseFigures> sparse,
        boolean isImageReadsFractional) {

    /** Cycles from the first fetch to the last write outside. */
    public long cyclesWithPrefetch() {
        return output.dram().stop()
                - Math.min(image.dram().start(), filter.dram().start());
    }
}
