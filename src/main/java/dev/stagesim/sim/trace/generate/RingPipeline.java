package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.trace.generate.NodeBuilder.Message;
import java.util.List;
import java.util.Set;

/** Micro-batches that go once around a ring, computed on at every processor; the first one gets them back. */
record RingPipeline() implements TracePattern {
    @Override
    public String name() {
        return "ring_pipeline";
    }

    @Override
    public String doc() {
        return "Micro-batches that pass through all processors in turn and come back to the first.";
    }

    @Override
    public boolean isUniform() {
        return false;
    }

    @Override
    public Set<Figure> figures() {
        return Set.of(Figure.RUNTIME, Figure.COMM_SIZE, Figure.MICRO_BATCHES);
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        Ring ring = new Ring(options.numNpus());
        long computed = NodeBuilder.ABSENT;
        long received = NodeBuilder.ABSENT;
        for (int batch = 0; batch < options.microBatches(); batch++) {
            long arrived = NodeBuilder.ABSENT;
            if (npu != 0) {
                received = builder.receive(
                        "recv.mb" + batch, new Message(ring.before(npu), npu, options.commSize(), batch), received);
                arrived = received;
            }
            computed = builder.compute("compute.mb" + batch, options.runtime(), computed, arrived);
            if (options.numNpus() > 1) {
                builder.send("send.mb" + batch, new Message(npu, ring.after(npu), options.commSize(), batch), computed);
            }
        }
        for (int batch = 0; npu == 0 && options.numNpus() > 1 && batch < options.microBatches(); batch++) {
            received = builder.receive(
                    "recv.mb" + batch, new Message(ring.before(npu), npu, options.commSize(), batch), received);
        }
        return builder.nodes();
    }
}
