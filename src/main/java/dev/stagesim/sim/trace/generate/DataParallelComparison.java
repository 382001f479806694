package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtNode;
import java.util.List;
import java.util.Set;

/** Equal layers, as many as processors, each spread over samples. */
record DataParallelComparison() implements TracePattern {
    @Override
    public String name() {
        return "parallelismComparisonDataParallel";
    }

    @Override
    public String doc() {
        return "As many 512 x 512 layers as processors, data-parallel.";
    }

    @Override
    public Set<Figure> figures() {
        return Set.of(Figure.NUM_DIMS);
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        MatrixProduct product = new MatrixProduct(options);
        long time = product.time(product.share(options.numNpus()));
        long last = NodeBuilder.ABSENT;
        for (int layer = 0; layer < options.numNpus(); layer++) {
            last = builder.compute("COMP_NODE_FWD_" + layer, time, last);
        }
        for (int layer = options.numNpus() - 1; layer >= 0; layer--) {
            long weights = builder.compute("COMP_NODE_BWD_WG_" + layer, time, last);
            builder.collective(
                    "COMM_COLL_NODE_BWD_WG_ALL_REDUCE_" + layer,
                    CollectiveType.ALL_REDUCE,
                    product.bytes(MatrixProduct.SIZE),
                    weights);
            if (layer > 0) {
                last = builder.compute("COMP_NODE_BWD_IG_" + layer, time, weights);
            }
        }
        return builder.nodes();
    }
}
