package dev.stagesim.io.scalesim;

import dev.stagesim.sim.systolic.spec.LayerShape;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A layer of a topology.
 *
 * @param products number of equal products with separate operands; greater than 1 for a batched matrix product and for
 * a depth-wise convolution, which has one per channel
 * @param isDepthWise true if the products are the channels of a depth-wise convolution
 * @param line line number in the table
 */
public record TopologyRow(LayerShape layer, int products, boolean isDepthWise, int line) {

    public TopologyRow with(LayerShape shape, int count) {
        return new TopologyRow(shape, count, isDepthWise, line);
    }

    /** Returns one row per product, named like the reference names channels. */
    public Stream<TopologyRow> each() {
        return products == 1 && !isDepthWise
                ? Stream.of(this)
                : IntStream.range(0, products)
                        .mapToObj(i -> new TopologyRow(
                                isDepthWise ? layer.named(layer.name() + "Channel_" + i) : layer, 1, false, line));
    }
}
