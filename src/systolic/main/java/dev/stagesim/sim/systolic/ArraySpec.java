package dev.stagesim.sim.systolic;

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
 * @param readQueue maximum outstanding reads when latencies are replayed
 * @param writeQueue maximum outstanding writes when latencies are replayed
 * @param sparse storage of sparse filters; empty for dense filters
 * @param imageLayout custom order of the image in its memory
 * @param filterLayout custom order of the filters in their memory
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
        int readQueue,
        int writeQueue,
        Optional<SparseSpec> sparse,
        Optional<LayoutOrder> imageLayout,
        Optional<LayoutOrder> filterLayout,
        Compat compat) {

    /** Returns the address error of version 3, in words. Version 3 ignores the offset of an image with a custom layout. */
    long layoutAddressError() {
        return compat == Compat.V3 && imageLayout.isPresent() ? image.offset() : 0;
    }

    /** Returns a copy with another compatibility mode. */
    public ArraySpec withCompat(Compat other) {
        return with(image, filter, output, imageLayout, filterLayout, other);
    }

    /** Returns a copy with recorded latencies for the three memories. */
    public ArraySpec withLatencies(List<Integer> ofImage, List<Integer> ofFilter, List<Integer> ofOutput) {
        return with(
                replay(image, ofImage),
                replay(filter, ofFilter),
                replay(output, ofOutput),
                imageLayout,
                filterLayout,
                compat);
    }

    /** Returns a copy with custom memory layouts. */
    public ArraySpec withLayouts(Optional<LayoutOrder> ofImage, Optional<LayoutOrder> ofFilter) {
        return with(image, filter, output, ofImage, ofFilter, compat);
    }

    private ArraySpec with(
            OperandMemory i,
            OperandMemory f,
            OperandMemory o,
            Optional<LayoutOrder> ofImage,
            Optional<LayoutOrder> ofFilter,
            Compat newCompat) {
        return new ArraySpec(
                rows, columns, dataflow, mode, i, f, o, readQueue, writeQueue, sparse, ofImage, ofFilter, newCompat);
    }

    private static OperandMemory replay(OperandMemory memory, List<Integer> latencies) {
        return new OperandMemory(
                memory.kilobytes(),
                memory.offset(),
                memory.bandwidth(),
                memory.banks(),
                memory.ports(),
                latencies,
                true);
    }
}
