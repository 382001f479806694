package dev.stagesim.sim.trace.generate;

import static dev.stagesim.sim.trace.generate.NodeBuilder.ABSENT;
import static dev.stagesim.sim.trace.generate.TracePattern.uniform;
import static dev.stagesim.sim.trace.generate.TracePattern.varied;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.sim.trace.generate.NodeBuilder.Message;
import java.util.List;

/**
 * Patterns of data-parallel steps, and of equal layers (512 x 512 x 512 matrix products) under three kinds of
 * parallelism.
 */
final class Comparisons {
    private static final int LAYERS = 3;
    private static final long SIZE = 512;
    private static final long BYTES_PER_VALUE = 2;
    private static final int MICRO_BATCHES = 64;
    private static final long KILO_FLOPS = 2 * SIZE * SIZE;

    static final List<TracePattern> ALL = List.of(
            threeLayers("threeLayerDataParallel", ".", false),
            threeLayers(
                    "threeLayerDataParallelSequentiallyDependent",
                    " whose backward pass waits for every all-reduce.",
                    true),
            uniform(
                    "parallelismComparisonDataParallel",
                    "As many 512 x 512 layers as processors, data-parallel.",
                    (nodes, npu, options) -> dataParallel(nodes, options),
                    PatternParameter.NUM_DIMS),
            uniform(
                    "parallelismComparisonModelParallel",
                    "As many 512 x 512 layers as processors, model-parallel.",
                    (nodes, npu, options) -> modelParallel(nodes, options),
                    PatternParameter.NUM_DIMS),
            varied(
                    "parallelismComparisonPipelineParallel",
                    "A 512 x 512 layer per processor, as a pipeline of 64 micro-batches.",
                    (nodes, npu, options) -> new Stage(nodes, options, npu).make()));

    private Comparisons() {}

    /**
     * Rows or columns per part, for {@code parts} parts. Like the reference rounds down; otherwise rounds up, so that
     * no part is empty.
     */
    private static long share(PatternOptions options, int parts) {
        return options.likeReference() ? SIZE / parts : (SIZE + parts - 1) / parts;
    }

    /** Duration of a product with one side reduced to {@code side}. */
    private static long time(long side) {
        return 2 * side * SIZE * SIZE / KILO_FLOPS;
    }

    /** Size of a matrix with one side reduced to {@code side}, in bytes. */
    private static long bytes(long side) {
        return side * SIZE * BYTES_PER_VALUE;
    }

    /** A data-parallel step; with {@code isSequential}, the backward pass waits for the gradients of each layer. */
    private static TracePattern threeLayers(String name, String doc, boolean isSequential) {
        TracePattern.Maker maker = (nodes, npu, options) -> {
            long last = ABSENT;
            for (int layer = 0; layer < LAYERS; layer++) {
                last = nodes.compute("COMP_NODE_FWD_" + layer, options.runtime(), last);
            }
            for (int layer = LAYERS - 1; layer >= 0; layer--) {
                long weights = nodes.compute("COMP_NODE_BWD_WG_" + layer, options.runtime(), last);
                if (isSequential) {
                    weights = combine(nodes, layer, options, weights);
                }
                if (layer > 0) {
                    last = nodes.compute("COMP_NODE_BWD_IG_" + layer, options.runtime(), weights);
                }
                if (!isSequential) {
                    combine(nodes, layer, options, weights);
                }
            }
        };
        return uniform(
                name,
                "A data-parallel step of three layers" + doc,
                maker,
                PatternParameter.RUNTIME,
                PatternParameter.COMM_SIZE,
                PatternParameter.NUM_DIMS);
    }

    private static long combine(NodeBuilder nodes, int layer, PatternOptions options, long parent) {
        String name = "COMM_COLL_NODE_BWD_ALL_REDUCE_" + layer;
        return nodes.collective(name, CollectiveType.ALL_REDUCE, options.commSize(), parent);
    }

    private static void dataParallel(NodeBuilder nodes, PatternOptions options) {
        long time = time(share(options, options.numNpus()));
        long last = ABSENT;
        for (int layer = 0; layer < options.numNpus(); layer++) {
            last = nodes.compute("COMP_NODE_FWD_" + layer, time, last);
        }
        for (int layer = options.numNpus() - 1; layer >= 0; layer--) {
            long weights = nodes.compute("COMP_NODE_BWD_WG_" + layer, time, last);
            String name = "COMM_COLL_NODE_BWD_WG_ALL_REDUCE_" + layer;
            nodes.collective(name, CollectiveType.ALL_REDUCE, bytes(SIZE), weights);
            if (layer > 0) {
                last = nodes.compute("COMP_NODE_BWD_IG_" + layer, time, weights);
            }
        }
    }

    private static void modelParallel(NodeBuilder nodes, PatternOptions options) {
        long share = share(options, options.numNpus());
        long time = time(share);
        long last = ABSENT;
        for (int layer = 0; layer < options.numNpus(); layer++) {
            long computed = nodes.compute("COMP_NODE_FWD_" + layer, time, last);
            String name = "COMM_COLL_NODE_FWD_ALL_GATHER_" + layer;
            last = nodes.collective(name, CollectiveType.ALL_GATHER, bytes(share), computed);
        }
        long weights = ABSENT;
        for (int layer = options.numNpus() - 1; layer >= 0; layer--) {
            long input = nodes.compute("COMP_NODE_BWD_IG_" + layer, time, weights, last);
            weights = nodes.compute("COMP_NODE_BWD_WG_" + layer, time, input);
            last = nodes.collective("COMM_COLL_NODE_BWD_IG_" + layer, CollectiveType.ALL_REDUCE, bytes(SIZE), input);
        }
    }

    /** One processor's stage of a pipeline; micro-batches pass forward and then backward. */
    private static final class Stage {
        /** Maximum number of processors that fit in the reference's tags. */
        private static final int MAX_IN_TAG = 512;

        private static final int SOURCE_SHIFT = 22;
        private static final int DESTINATION_SHIFT = 12;

        private final NodeBuilder nodes;
        private final PatternOptions options;
        private final int npu;
        private final long time;
        private final long bytes;

        Stage(NodeBuilder nodes, PatternOptions options, int npu) {
            this.nodes = nodes;
            this.options = options;
            this.npu = npu;
            long share = share(options, MICRO_BATCHES);
            time = time(share);
            bytes = bytes(share);
        }

        void make() {
            boolean isLast = npu == options.numNpus() - 1;
            // With a single processor, the reference sends to a processor that does not exist.
            if (npu == 0 && (!isLast || options.likeReference())) {
                first();
            } else if (npu == 0) {
                only();
            } else if (isLast) {
                last();
            } else {
                inner();
            }
        }

        private Message message(int source, int destination, int batch, int forward) {
            int tag = options.numNpus() <= MAX_IN_TAG || options.likeReference()
                    ? source << SOURCE_SHIFT | destination << DESTINATION_SHIFT | batch << 2 | forward
                    : batch << 2 | forward;
            return new Message(source, destination, bytes, tag);
        }

        private void first() {
            long computed = ABSENT;
            long last = ABSENT;
            for (int batch = 0; batch < MICRO_BATCHES; batch++) {
                computed = nodes.compute("COMP_NODE_MB_" + batch + "_FWD", time, computed);
                last = nodes.send("COMM_SEND_NODE_MB_" + batch + "_FWD", message(npu, npu + 1, batch, 1), computed);
            }
            for (int batch = 0; batch < MICRO_BATCHES; batch++) {
                last = nodes.receive("COMM_RECV_NODE_MB_" + batch + "_BWD", message(npu + 1, npu, batch, 0), last);
                nodes.compute("COMP_NODE_MB_" + batch + "_BWD_WG", time, last);
            }
        }

        private void only() {
            long last = ABSENT;
            for (String suffix : List.of("_FWD", "_BWD_WG")) {
                for (int batch = 0; batch < MICRO_BATCHES; batch++) {
                    last = nodes.compute("COMP_NODE_MB_" + batch + suffix, time, last);
                }
            }
        }

        private void inner() {
            long received = ABSENT;
            long last = ABSENT;
            for (int batch = 0; batch < MICRO_BATCHES; batch++) {
                String name = "_NODE_MB_" + batch + "_FWD";
                received = nodes.receive("COMM_RECV" + name, message(npu - 1, npu, batch, 1), received);
                long computed = nodes.compute("COMP" + name, time, received);
                last = nodes.send("COMM_SEND" + name, message(npu, npu + 1, batch, 1), computed);
            }
            for (int batch = 0; batch < MICRO_BATCHES; batch++) {
                String name = "_NODE_MB_" + batch + "_BWD_";
                last = nodes.receive("COMM_RECV" + name + "IG", message(npu + 1, npu, batch, 0), last);
                long input = nodes.compute("COMP" + name + "IG", time, last);
                nodes.compute("COMP" + name + "WG", time, input);
                nodes.send("COMM_SEND" + name + "IG", message(npu, npu - 1, batch, 0), input);
            }
        }

        private void last() {
            long received = ABSENT;
            long computed = ABSENT;
            for (int batch = 0; batch < MICRO_BATCHES; batch++) {
                String name = "_NODE_MB_" + batch + "_FWD";
                received = nodes.receive("COMM_RECV" + name, message(npu - 1, npu, batch, 1), received);
                computed = nodes.compute("COMP" + name + "_COMP", time, received);
            }
            for (int batch = 0; batch < MICRO_BATCHES; batch++) {
                String name = "_NODE_MB_" + batch + "_BWD_";
                long input = nodes.compute("COMP" + name + "IG", time, computed);
                computed = nodes.compute("COMP" + name + "WG", time, input);
                nodes.send("COMM_SEND" + name + "IG", message(npu, npu - 1, batch, 0), input);
            }
        }
    }
}
