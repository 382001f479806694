package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtNode;
import java.util.List;
import java.util.Set;

/** Equal layers, as many as processors, each spread over outputs. */
record ModelParallelComparison() implements TracePattern {
    @Override
    public String name() {
        return "parallelismComparisonModelParallel";
    }

    @Override
    public String doc() {
        return "As many 512 x 512 layers as processors, model-parallel.";
    }

    @Override
    public Set<Figure> figures() {
        return Set.of(Figure.NUM_DIMS);
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        MatrixProduct product = new MatrixProduct(options);
        long share = product.share(options.numNpus());
        long time = product.time(share);
        long last = NodeBuilder.ABSENT;
        for (int layer = 0; layer < options.numNpus(); layer++) {
            long computed = builder.compute("COMP_NODE_FWD_" + layer, time, last);
            last = builder.collective(
                    "COMM_COLL_NODE_FWD_ALL_GATHER_" + layer,
                    CollectiveType.ALL_GATHER,
                    product.bytes(share),
                    computed);
        }
        long weights = NodeBuilder.ABSENT;
        for (int layer = options.numNpus() - 1; layer >= 0; layer--) {
            long input = builder.compute("COMP_NODE_BWD_IG_" + layer, time, weights, last);
            weights = builder.compute("COMP_NODE_BWD_WG_" + layer, time, input);
            last = builder.collective(
                    "COMM_COLL_NODE_BWD_IG_" + layer,
                    CollectiveType.ALL_REDUCE,
                    product.bytes(MatrixProduct.SIZE),
                    input);
        }
        return builder.nodes();
    }
}
