package dev.stagesim.sim.systolic.spec;

import java.util.List;
import java.util.Optional;

/**
 * Configuration of a systolic array and its memories.
 *
 * @param rows processing elements along the height
 * @param columns processing elements along the width
 * @param dataflow stationary operand
 * @param mode source of the memory bandwidth
 * @param image memory for the input image
 * @param filter memory for the filters
 * @param output memory for the output
 * @param sparse storage of sparse filters; empty for dense filters
 * @param compat version of the reference to reproduce
 */
public record ArraySpec(
        int rows,
        int columns,
        Dataflow dataflow,
        MemoryMode mode,
        OperandMemory image,
        OperandMemory filter,
        OperandMemory output,
        Optional<SparseSpec> sparse,
        ScaleSimCompat compat) {

    /** Returns the address error of version 3, in words. Version 3 ignores the offset of an image with a custom layout. */
    public long layoutAddressError() {
        return compat == ScaleSimCompat.V3 && image.layout().isPresent() ? image.offset() : 0;
    }

    /** Returns a copy with another compatibility mode. */
    public ArraySpec withCompat(ScaleSimCompat other) {
        return new ArraySpec(rows, columns, dataflow, mode, image, filter, output, sparse, other);
    }

    /** Returns a copy with recorded latencies for the three memories. */
    public ArraySpec withLatencies(List<Integer> ofImage, List<Integer> ofFilter, List<Integer> ofOutput) {
        return with(image.withLatencies(ofImage), filter.withLatencies(ofFilter), output.withLatencies(ofOutput));
    }

    /** Returns a copy with custom memory layouts. */
    public ArraySpec withLayouts(Optional<LayoutOrder> ofImage, Optional<LayoutOrder> ofFilter) {
        return with(image.withLayout(ofImage), filter.withLayout(ofFilter), output);
    }

    private ArraySpec with(OperandMemory newImage, OperandMemory newFilter, OperandMemory newOutput) {
        return new ArraySpec(rows, columns, dataflow, mode, newImage, newFilter, newOutput, sparse, compat);
    }
}
