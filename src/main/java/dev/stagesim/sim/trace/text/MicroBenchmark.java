package dev.stagesim.sim.trace.text;

/** {@code MICRO}: the collective of each layer's weight gradient, without order. */
final class MicroBenchmark implements TextParallelism {
    private final TextWorkload workload;

    MicroBenchmark(TextWorkload workload) {
        this.workload = workload;
    }

    @Override
    public void pass(NodeList nodes) {
        for (TextLayer layer : workload.layers()) {
            nodes.collective(layer, "", layer.weightGradient(), TextNode.Span.ALL);
        }
    }
}
