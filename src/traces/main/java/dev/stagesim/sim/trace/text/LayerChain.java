package dev.stagesim.sim.trace.text;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Tensor (model) parallelism: processors share the weights of each layer and combine activations after every layer,
 * forward and backward.
 *
 * <p>Forward: a layer waits for the previous layer and for its weight update in the previous pass. Backward: the input
 * gradient waits for both results of the next layer; the weight gradient follows the input gradient.
 */
final class LayerChain implements TextParallelism {
    private final TextWorkload workload;
    private final List<TextLayer> layers;
    private final Function<TextLayer, LayerSpans> spans;
    private final String gradientSuffix;
    private final Recomputation recomputation;
    private final long[] updated;

    /**
     * @param spans processors in the collectives of a layer
     * @param gradientSuffix text before the type in the name of the collective after the input gradient
     * @param recomputation layers that are computed again in the backward pass
     */
    LayerChain(
            TextWorkload workload,
            Function<TextLayer, LayerSpans> spans,
            String gradientSuffix,
            Recomputation recomputation) {
        this.workload = workload;
        this.spans = spans;
        this.gradientSuffix = gradientSuffix;
        this.recomputation = recomputation;
        layers = workload.layers();
        updated = new long[layers.size()];
        Arrays.fill(updated, NodeList.ABSENT);
    }

    @Override
    public void pass(NodeList nodes) {
        long last = NodeList.ABSENT;
        for (int i = 0; i < layers.size(); i++) {
            last = forward(nodes, i, "FWD", last, updated[i]);
        }
        backward(nodes, last);
    }

    /**
     * Computes a layer forward and combines its activations; returns the last node, on which the next layer depends.
     */
    private long forward(NodeList nodes, int i, String step, long before, long weights) {
        TextLayer layer = layers.get(i);
        LayerSpans span = spans.apply(layer);
        // The reference lists the weights first if weight gradients are combined.
        long first = span.combinesWeights() ? weights : before;
        long second = span.combinesWeights() ? before : weights;
        long computed = nodes.compute(layer, step, layer.forward(), first, second);
        long combined = span.sharesActivations()
                ? nodes.collective(layer, "", layer.forward(), span.activations(), computed)
                : NodeList.ABSENT;
        return combined == NodeList.ABSENT ? computed : combined;
    }

    private void backward(NodeList nodes, long forward) {
        int count = layers.size();
        long weightGradient = NodeList.ABSENT;
        long activations = forward;
        for (int i = count - 1; i >= 0; i--) {
            TextLayer layer = layers.get(i);
            LayerSpans span = spans.apply(layer);
            for (int j : recomputation.before(i)) {
                activations = forward(nodes, j, "FWD_RECOMPUTE", activations, weightGradient);
                weightGradient = NodeList.ABSENT;
            }
            long inputGradient = nodes.compute(layer, "BWD_IG", layer.inputGradient(), weightGradient, activations);
            boolean isLast = isSkipped(count - 1 - i);
            activations = isLast || !span.sharesActivations()
                    ? NodeList.ABSENT
                    : nodes.collective(layer, gradientSuffix, layer.inputGradient(), span.activations(), inputGradient);
            if (isLast && i > 0) {
                nodes.problem(layer, "the layer count of " + workload.count() + " leaves out its collective");
            }
            weightGradient = nodes.compute(layer, "BWD_WG", layer.weightGradient(), inputGradient);
            long combined = span.combinesWeights()
                    ? nodes.collective(layer, "", layer.weightGradient(), span.weights(), weightGradient)
                    : NodeList.ABSENT;
            updated[i] = combined == NodeList.ABSENT ? weightGradient : combined;
        }
    }

    /**
     * True for the input gradient that no layer needs. The reference skips it and locates it by the stated layer count.
     */
    private boolean isSkipped(int position) {
        return workload.count().subtract(BigInteger.ONE).equals(BigInteger.valueOf(position));
    }
}
