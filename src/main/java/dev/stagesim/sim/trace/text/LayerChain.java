package dev.stagesim.sim.trace.text;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Parallelisms that share the weights of layers: activations are combined after every layer, forward and backward.
 *
 * <p>Forward, a layer waits for the one before and for its own weights of the previous pass. Backward, the gradient of the
 * input waits for both results of the layer after, and the gradient of the weights follows it.
 */
final class LayerChain implements TextParallelism {
    private final TextWorkload workload;
    private final List<TextLayer> layers;
    private final Function<TextLayer, LayerSpans> spans;
    private final String gradientSuffix;
    private final Recomputation recomputation;
    private final long[] updated;

    /**
     * @param spans who takes part in a layer's collectives
     * @param gradientSuffix what the name of the collective after the gradient of the input has before its type
     * @param recomputation what is computed again in the backward pass
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

    /** Computes a layer forward and combines its activations; the last of these is what the next layer waits for. */
    private long forward(NodeList nodes, int i, String step, long before, long weights) {
        TextLayer layer = layers.get(i);
        LayerSpans who = spans.apply(layer);
        // The reference names weights first where gradients of weights are combined.
        long first = who.combinesWeights() ? weights : before;
        long second = who.combinesWeights() ? before : weights;
        long computed = nodes.compute(layer, step, layer.forward(), first, second);
        long combined = who.sharesActivations()
                ? nodes.collective(layer, "", layer.forward(), who.activations(), computed)
                : NodeList.ABSENT;
        return combined == NodeList.ABSENT ? computed : combined;
    }

    private void backward(NodeList nodes, long forward) {
        int count = layers.size();
        long weightGradient = NodeList.ABSENT;
        long activations = forward;
        for (int i = count - 1; i >= 0; i--) {
            TextLayer layer = layers.get(i);
            LayerSpans who = spans.apply(layer);
            for (int j : recomputation.before(i)) {
                activations = forward(nodes, j, "FWD_RECOMPUTE", activations, weightGradient);
                weightGradient = NodeList.ABSENT;
            }
            long inputGradient = nodes.compute(layer, "BWD_IG", layer.inputGradient(), weightGradient, activations);
            boolean isLast = isSkipped(count - 1 - i);
            activations = isLast || !who.sharesActivations()
                    ? NodeList.ABSENT
                    : nodes.collective(layer, gradientSuffix, layer.inputGradient(), who.activations(), inputGradient);
            if (isLast && i > 0) {
                nodes.problem(layer, "the layer count of " + workload.count() + " leaves out its collective");
            }
            weightGradient = nodes.compute(layer, "BWD_WG", layer.weightGradient(), inputGradient);
            long combined = who.combinesWeights()
                    ? nodes.collective(layer, "", layer.weightGradient(), who.weights(), weightGradient)
                    : NodeList.ABSENT;
            updated[i] = combined == NodeList.ABSENT ? weightGradient : combined;
        }
    }

    /** The reference leaves out the gradient that nobody needs, which it finds by the stated number of layers. */
    private boolean isSkipped(int position) {
        return workload.count().subtract(BigInteger.ONE).equals(BigInteger.valueOf(position));
    }
}
