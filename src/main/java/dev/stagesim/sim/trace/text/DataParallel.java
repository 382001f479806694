package dev.stagesim.sim.trace.text;

import java.util.Arrays;
import java.util.List;

/** {@code DATA}: every processor holds all weights; gradients of weights are combined. */
final class DataParallel implements TextParallelism {
    private final List<TextLayer> layers;
    private final long[] combined;

    DataParallel(TextWorkload workload) {
        layers = workload.layers();
        combined = new long[layers.size()];
        Arrays.fill(combined, NodeList.ABSENT);
    }

    @Override
    public void pass(NodeList nodes) {
        long last = NodeList.ABSENT;
        for (int i = 0; i < layers.size(); i++) {
            TextLayer layer = layers.get(i);
            last = nodes.compute(layer, "FWD", layer.forward(), last, combined[i]);
        }
        for (int i = layers.size() - 1; i >= 0; i--) {
            TextLayer layer = layers.get(i);
            long gradient = nodes.compute(layer, "BWD_WG", layer.weightGradient(), last);
            long collective = nodes.collective(layer, "", layer.weightGradient(), TextNode.Span.ALL, gradient);
            combined[i] = collective == NodeList.ABSENT ? gradient : collective;
            if (i != 0) {
                last = nodes.compute(layer, "BWD_IG", layer.inputGradient(), gradient);
            }
        }
    }
}
