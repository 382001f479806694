package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.trace.generate.NodeBuilder.Message;
import java.util.List;
import java.util.Set;

/**
 * One message around a ring.
 *
 * <p>The reference's nodes say neither with whom nor how much; ours do, and where a processor receives, it sends as well, as
 * nothing would arrive otherwise.
 *
 * @param receives whether processors receive
 */
record OneMessage(String name, boolean receives) implements TracePattern {
    @Override
    public String doc() {
        return receives
                ? "One message from the processor before, and one to the next."
                : "One message to the next processor.";
    }

    @Override
    public boolean isUniform() {
        return false;
    }

    @Override
    public Set<Figure> figures() {
        return Set.of(Figure.COMM_SIZE);
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        NodeType type = receives ? NodeType.COMM_RECV_NODE : NodeType.COMM_SEND_NODE;
        if (options.likeReference()) {
            EtAttribute size = EtAttribute.ofUnsigned(EtNames.TENSOR_SIZE, options.tensorSize());
            builder.add(type.name(), type, 0, NodeBuilder.onDevice(size));
            return builder.nodes();
        }
        Ring ring = new Ring(options.numNpus());
        if (receives) {
            builder.receive(type.name(), new Message(ring.before(npu), npu, options.commSize(), 0));
        }
        builder.send(NodeType.COMM_SEND_NODE.name(), new Message(npu, ring.after(npu), options.commSize(), 0));
        return builder.nodes();
    }
}
