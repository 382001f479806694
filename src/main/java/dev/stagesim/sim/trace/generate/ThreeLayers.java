package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtNode;
import java.util.List;
import java.util.Set;

/**
 * A data-parallel step of three layers.
 *
 * @param isSequential whether the backward pass waits for the gradients of each layer to be combined
 */
record ThreeLayers(boolean isSequential) implements TracePattern {
    private static final int LAYERS = 3;

    @Override
    public String name() {
        return isSequential ? "threeLayerDataParallelSequentiallyDependent" : "threeLayerDataParallel";
    }

    @Override
    public String doc() {
        return "A data-parallel step of three layers"
                + (isSequential ? " whose backward pass waits for every all-reduce." : ".");
    }

    @Override
    public Set<Figure> figures() {
        return Set.of(Figure.RUNTIME, Figure.COMM_SIZE, Figure.NUM_DIMS);
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        long last = NodeBuilder.ABSENT;
        for (int layer = 0; layer < LAYERS; layer++) {
            last = builder.compute("COMP_NODE_FWD_" + layer, options.runtime(), last);
        }
        for (int layer = LAYERS - 1; layer >= 0; layer--) {
            long weights = builder.compute("COMP_NODE_BWD_WG_" + layer, options.runtime(), last);
            if (isSequential) {
                weights = combine(builder, layer, options, weights);
            }
            if (layer > 0) {
                last = builder.compute("COMP_NODE_BWD_IG_" + layer, options.runtime(), weights);
            }
            if (!isSequential) {
                combine(builder, layer, options, weights);
            }
        }
        return builder.nodes();
    }

    private static long combine(NodeBuilder builder, int layer, PatternOptions options, long parent) {
        return builder.collective(
                "COMM_COLL_NODE_BWD_ALL_REDUCE_" + layer, CollectiveType.ALL_REDUCE, options.commSize(), parent);
    }
}
