package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.trace.generate.NodeBuilder.Message;
import java.util.List;
import java.util.Set;

/** Equal layers, one per processor, through which micro-batches pass forward and back. */
record PipelineComparison() implements TracePattern {
    /** Beyond it the reference's tags have no room for a processor. */
    private static final int MOST_IN_TAG = 512;

    private static final int SOURCE_SHIFT = 22;
    private static final int DESTINATION_SHIFT = 12;

    @Override
    public String name() {
        return "parallelismComparisonPipelineParallel";
    }

    @Override
    public String doc() {
        return "A 512 x 512 layer per processor, as a pipeline of 64 micro-batches.";
    }

    @Override
    public boolean isUniform() {
        return false;
    }

    @Override
    public Set<Figure> figures() {
        return Set.of();
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        Stage stage = new Stage(builder, options, npu);
        // The reference has a single processor send to one that does not exist.
        boolean isFirst = npu == 0 && (options.numNpus() > 1 || options.likeReference());
        if (isFirst) {
            stage.first();
        } else if (npu == 0) {
            stage.only();
        } else if (npu == options.numNpus() - 1) {
            stage.last();
        } else {
            stage.inner();
        }
        return builder.nodes();
    }

    /** One processor's part. */
    private static final class Stage {
        private final NodeBuilder builder;
        private final PatternOptions options;
        private final int npu;
        private final long time;
        private final long bytes;

        Stage(NodeBuilder builder, PatternOptions options, int npu) {
            this.builder = builder;
            this.options = options;
            this.npu = npu;
            MatrixProduct product = new MatrixProduct(options);
            long share = product.share(MatrixProduct.MICRO_BATCHES);
            time = product.time(share);
            bytes = product.bytes(share);
        }

        private Message message(int source, int destination, int batch, int forward) {
            int tag = options.numNpus() <= MOST_IN_TAG || options.likeReference()
                    ? source << SOURCE_SHIFT | destination << DESTINATION_SHIFT | batch << 2 | forward
                    : batch << 2 | forward;
            return new Message(source, destination, bytes, tag);
        }

        void first() {
            long computed = NodeBuilder.ABSENT;
            long last = NodeBuilder.ABSENT;
            for (int batch = 0; batch < MatrixProduct.MICRO_BATCHES; batch++) {
                computed = builder.compute("COMP_NODE_MB_" + batch + "_FWD", time, computed);
                last = builder.send("COMM_SEND_NODE_MB_" + batch + "_FWD", message(npu, npu + 1, batch, 1), computed);
            }
            for (int batch = 0; batch < MatrixProduct.MICRO_BATCHES; batch++) {
                last = builder.receive("COMM_RECV_NODE_MB_" + batch + "_BWD", message(npu + 1, npu, batch, 0), last);
                builder.compute("COMP_NODE_MB_" + batch + "_BWD_WG", time, last);
            }
        }

        void only() {
            long last = NodeBuilder.ABSENT;
            for (int batch = 0; batch < MatrixProduct.MICRO_BATCHES; batch++) {
                last = builder.compute("COMP_NODE_MB_" + batch + "_FWD", time, last);
            }
            for (int batch = 0; batch < MatrixProduct.MICRO_BATCHES; batch++) {
                last = builder.compute("COMP_NODE_MB_" + batch + "_BWD_WG", time, last);
            }
        }

        void inner() {
            long received = NodeBuilder.ABSENT;
            long last = NodeBuilder.ABSENT;
            for (int batch = 0; batch < MatrixProduct.MICRO_BATCHES; batch++) {
                String name = "_NODE_MB_" + batch + "_FWD";
                received = builder.receive("COMM_RECV" + name, message(npu - 1, npu, batch, 1), received);
                long computed = builder.compute("COMP" + name, time, received);
                last = builder.send("COMM_SEND" + name, message(npu, npu + 1, batch, 1), computed);
            }
            for (int batch = 0; batch < MatrixProduct.MICRO_BATCHES; batch++) {
                String name = "_NODE_MB_" + batch + "_BWD_";
                last = builder.receive("COMM_RECV" + name + "IG", message(npu + 1, npu, batch, 0), last);
                long input = builder.compute("COMP" + name + "IG", time, last);
                builder.compute("COMP" + name + "WG", time, input);
                builder.send("COMM_SEND" + name + "IG", message(npu, npu - 1, batch, 0), input);
            }
        }

        void last() {
            long received = NodeBuilder.ABSENT;
            long computed = NodeBuilder.ABSENT;
            for (int batch = 0; batch < MatrixProduct.MICRO_BATCHES; batch++) {
                String name = "_NODE_MB_" + batch + "_FWD";
                received = builder.receive("COMM_RECV" + name, message(npu - 1, npu, batch, 1), received);
                computed = builder.compute("COMP" + name + "_COMP", time, received);
            }
            for (int batch = 0; batch < MatrixProduct.MICRO_BATCHES; batch++) {
                String name = "_NODE_MB_" + batch + "_BWD_";
                long input = builder.compute("COMP" + name + "IG", time, computed);
                computed = builder.compute("COMP" + name + "WG", time, input);
                builder.send("COMM_SEND" + name + "IG", message(npu, npu - 1, batch, 0), input);
            }
        }
    }
}
