package dev.stagesim.sim.systolic;

import java.util.List;
import java.util.Optional;

/**
 * An array and its memories.
 *
 * @param rows processing elements along the height
 * @param columns processing elements along the width
 * @param dataflow stationary operand
 * @param mode whether bandwidth is calculated or given
 * @param image memory of the input image
 * @param filter memory of the filters
 * @param output memory of the output
 * @param readQueue outstanding reads when latencies are replayed
 * @param writeQueue outstanding writes when latencies are replayed
 * @param sparse storage of sparse filters; empty for dense ones
 * @param imageLayout custom order of the image in its memory
 * @param filterLayout custom order of the filters in their memory
 * @param compat whose figures are wanted
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

    /** Words by which version 3 looks beyond those of a custom layout of the image, which it leaves the offset out of. */
    long missedBy() {
        return compat == Compat.V3 && imageLayout.isPresent() ? image.offset() : 0;
    }

    /** The same array asked for other figures. */
    public ArraySpec withCompat(Compat other) {
        return with(image, filter, output, imageLayout, filterLayout, other);
    }

    /** The same array with recorded latencies of its three memories. */
    public ArraySpec withLatencies(List<Integer> ofImage, List<Integer> ofFilter, List<Integer> ofOutput) {
        return with(
                replay(image, ofImage),
                replay(filter, ofFilter),
                replay(output, ofOutput),
                imageLayout,
                filterLayout,
                compat);
    }

    /** The same array with operands in custom orders. */
    public ArraySpec withLayouts(Optional<LayoutOrder> ofImage, Optional<LayoutOrder> ofFilter) {
        return with(image, filter, output, ofImage, ofFilter, compat);
    }

    private ArraySpec with(
            OperandMemory i,
            OperandMemory f,
            OperandMemory o,
            Optional<LayoutOrder> ofImage,
            Optional<LayoutOrder> ofFilter,
            Compat whose) {
        return new ArraySpec(
                rows, columns, dataflow, mode, i, f, o, readQueue, writeQueue, sparse, ofImage, ofFilter, whose);
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
