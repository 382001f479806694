package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtNode;
import java.util.List;
import java.util.Set;

/** Mixture-of-experts layers, forward: every layer sends tokens to experts all to all, and back. */
record MoeLayers() implements TracePattern {
    @Override
    public String name() {
        return "moe_all_to_all";
    }

    @Override
    public String doc() {
        return "Layers of a router, an all-to-all to the experts, their computation, and an all-to-all back.";
    }

    @Override
    public Set<Figure> figures() {
        return Set.of(Figure.RUNTIME, Figure.COMM_SIZE, Figure.NUM_DIMS, Figure.LAYERS);
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        long last = NodeBuilder.ABSENT;
        for (int layer = 0; layer < options.layers(); layer++) {
            String name = "layer" + layer;
            last = builder.compute(name + ".router", options.runtime(), last);
            last = builder.collective(name + ".dispatch", CollectiveType.ALL_TO_ALL, options.commSize(), last);
            last = builder.compute(name + ".experts", options.runtime(), last);
            last = builder.collective(name + ".combine", CollectiveType.ALL_TO_ALL, options.commSize(), last);
        }
        return builder.nodes();
    }
}
