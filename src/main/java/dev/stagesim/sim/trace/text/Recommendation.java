package dev.stagesim.sim.trace.text;

import java.util.Arrays;
import java.util.List;

/**
 * {@code HYBRID_DLRM}: embedding tables exchanged all to all beside a bottom network, and a top network after both.
 *
 * <p>The first layer is the embedding; the first layer after the bottom network waits for its exchange, forward and
 * backward. All other layers are data-parallel.
 */
final class Recommendation implements TextParallelism {
    private static final String EXCHANGE = "ALLTOALL";

    private final List<TextLayer> layers;
    private final long bottom;
    private final long[] exchanged;
    private final long[] weightGradient;
    private final long[] updated;

    /** @param bottom index of the last layer of the bottom network */
    Recommendation(TextWorkload workload, long bottom) {
        this.bottom = bottom;
        layers = workload.layers();
        exchanged = absent();
        weightGradient = absent();
        updated = absent();
    }

    private long[] absent() {
        long[] ids = new long[layers.size()];
        Arrays.fill(ids, NodeList.ABSENT);
        return ids;
    }

    @Override
    public void pass(NodeList nodes) {
        long last = NodeList.ABSENT;
        for (int i = 0; i < layers.size(); i++) {
            TextLayer layer = layers.get(i);
            long weights = updated[i] == NodeList.ABSENT ? weightGradient[i] : updated[i];
            long tables = i == bottom ? exchanged[0] : NodeList.ABSENT;
            if (i == bottom && tables == NodeList.ABSENT) {
                nodes.problem(
                        layer,
                        "as last bottom layer it waits for an ALLTOALL of the first layer, which there is not before");
            }
            last = nodes.compute(layer, "FWD", layer.forward(), weights, last, tables);
            if (layer.forward().type().equals(EXCHANGE)) {
                exchanged[i] = nodes.collective(layer, "", layer.forward(), TextNode.Span.ALL, last);
            }
        }
        backward(nodes, last);
    }

    private void backward(NodeList nodes, long forward) {
        long last = forward;
        long tables = NodeList.ABSENT;
        for (int i = layers.size() - 1; i >= 0; i--) {
            TextLayer layer = layers.get(i);
            weightGradient[i] =
                    nodes.compute(layer, "BWD_WG", layer.weightGradient(), last, i == 0 ? tables : NodeList.ABSENT);
            updated[i] = layer.weightGradient().type().equals(TextLayer.NONE)
                    ? NodeList.ABSENT
                    : nodes.collective(layer, "", layer.weightGradient(), TextNode.Span.ALL, weightGradient[i]);
            last = i == 0 ? NodeList.ABSENT : nodes.compute(layer, "BWD_IG", layer.inputGradient(), weightGradient[i]);
            if (i == bottom + 1) {
                TextLayer first = layers.get(0);
                if (i == 0) {
                    nodes.problem(layer, "the bottom network ends before the first layer");
                }
                tables = nodes.collective(first, "", first.inputGradient(), TextNode.Span.ALL, last);
            }
        }
    }
}
